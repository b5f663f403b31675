#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/gemm.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <array>
#include <utility>

#include "src/kernels/simd/vector/float32/block_copy-inl.h"
#include "src/kernels/simd/vector/float32/epilogue-inl.h"
#include "src/kernels/simd/vector/float32/gemm-inl.h"
#include "src/kernels/simd/vector/float32/narrow-inl.h"
#include "src/kernels/simd/vector/instruction_set.h"
#include "src/kernels/simd/vector/register_rows.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// Rows in registers beside two columns of vectors.
constexpr int register_rows = float_block_rows(vector_registers, 2);

/// y[Rows][Columns vectors] from column `column` on. The weights of the next columns are
/// prefetched: the hardware's prefetcher stops at each page, and large weights are in L3.
template <int Rows, int Columns>
HWY_NOINLINE void gemm_block(const Gemm& g, const float* HWY_RESTRICT x,
                             const float* HWY_RESTRICT w, int column, float* y,
                             const float* residual) {
  const D d;
  constexpr auto n = static_cast<std::size_t>(vector_lanes);
  const int left = g.columns - column;
  BlockCopy<Rows, Columns> copy;
  V acc[Rows][Columns];
  const auto each = [&](const auto& block, auto f) HWY_ATTR {  // f(sum, the place of its vector)
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) f(acc[r][c], block.at(r) + c * n);
  };
  if (g.accumulate) {
    each(copy.read(y, g.y_stride, left),
         [&](V& v, const float* from) HWY_ATTR { v = hn::LoadU(d, from); });
  } else {
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) {
      const V bias = hn::LoadU(d, g.bias + column + c * vector_lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) acc[r][c] = bias;
    }
  }
  for (std::size_t s = 0; s < g.segments; ++s, x += g.segment_stride) {
    for (std::size_t k = 0; k < g.k; ++k, w += n) {
      __builtin_prefetch(w + Columns * g.column_size, 0, 2);
      if (Columns > 1) __builtin_prefetch(w + (Columns + 1) * g.column_size, 0, 2);
      V b[Columns];
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) b[c] = hn::LoadU(d, w + c * g.column_size);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        const V a = hn::Set(d, x[r * g.x_stride + k]);
#pragma GCC unroll 4
        for (int c = 0; c < Columns; ++c) acc[r][c] = hn::MulAdd(a, b[c], acc[r][c]);
      }
    }
  }
  if (residual)
    each(copy.read(residual, g.y_stride, left),
         [&](V& v, const float* from) HWY_ATTR { v = hn::Add(v, hn::LoadU(d, from)); });
  clamp_sums<Rows>(g.epilogue, acc);
  each(copy.place(y, g.y_stride, left), [&](V v, float* to) HWY_ATTR { hn::StoreU(v, d, to); });
  copy.write();
}

/// register_rows rows of one vector and a half: the halves of two rows share a register (w and bias
/// hold the half twice), so that all lanes are used.
HWY_NOINLINE void gemm_half_block(const Gemm& g, const float* HWY_RESTRICT x,
                                  const float* HWY_RESTRICT w, int column, float* y,
                                  const float* residual) {
  const D d;
  constexpr int pairs = register_rows / 2;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes), half_lanes = lanes / 2;
  const auto left = static_cast<std::size_t>(g.columns - column) - lanes;  // channels in the half
  const auto low = hn::FirstN(d, left), upper = hn::Not(hn::FirstN(d, half_lanes));
  const auto high = hn::AndNot(hn::FirstN(d, half_lanes), hn::FirstN(d, half_lanes + left));
  const auto at = [&](auto* base, int row) {
    return base + static_cast<std::size_t>(row) * g.y_stride;
  };
  const auto load_pair = [&](const float* base, int r) {  // the halves of rows r and r + pairs
    return hn::Or(hn::MaskedLoad(low, d, at(base, r) + lanes),
                  hn::MaskedLoad(high, d, at(base, r + pairs) + lanes - half_lanes));
  };
  V full[register_rows], half[pairs];
#pragma GCC unroll 16
  for (int r = 0; r < register_rows; ++r)
    full[r] = hn::LoadU(d, g.accumulate ? at(y, r) : g.bias + column);
#pragma GCC unroll 16
  for (int r = 0; r < pairs; ++r)
    half[r] = g.accumulate ? load_pair(y, r) : hn::LoadU(d, g.bias + column + lanes);
  for (std::size_t s = 0; s < g.segments; ++s, x += g.segment_stride)
    for (std::size_t k = 0; k < g.k; ++k, w += lanes) {
      const V b0 = hn::LoadU(d, w), b1 = hn::LoadU(d, w + g.column_size);
#pragma GCC unroll 16
      for (int r = 0; r < pairs; ++r) {
        const V a0 = hn::Set(d, x[r * g.x_stride + k]);
        const V a1 = hn::Set(d, x[(r + pairs) * g.x_stride + k]);
        full[r] = hn::MulAdd(a0, b0, full[r]);
        full[r + pairs] = hn::MulAdd(a1, b0, full[r + pairs]);
        half[r] = hn::MulAdd(hn::IfThenElse(upper, a1, a0), b1, half[r]);
      }
    }
  const V lo = hn::Set(d, g.epilogue.lo), hi = hn::Set(d, g.epilogue.hi);
#pragma GCC unroll 16
  for (int r = 0; r < register_rows; ++r) {
    if (residual) full[r] = hn::Add(full[r], hn::LoadU(d, at(residual, r)));
    hn::StoreU(clamped_result(full[r], lo, hi), d, at(y, r));
  }
#pragma GCC unroll 16
  for (int r = 0; r < pairs; ++r) {
    if (residual) half[r] = hn::Add(half[r], load_pair(residual, r));
    const V v = clamped_result(half[r], lo, hi);
    hn::BlendedStore(v, low, d, at(y, r) + lanes);
    hn::BlendedStore(v, high, d, at(y, r + pairs) + lanes - half_lanes);
  }
}

using GemmBlock = void (*)(const Gemm&, const float*, const float*, int, float*, const float*);
template <int Columns, int... R> constexpr auto gemm_blocks(std::integer_sequence<int, R...>) {
  return std::array<GemmBlock, sizeof...(R)>{gemm_block<R + 1, Columns>...};
}
constexpr auto one_column = gemm_blocks<1>(std::make_integer_sequence<int, register_rows>());
constexpr auto two_columns = gemm_blocks<2>(std::make_integer_sequence<int, register_rows>());

/// The block for n rows from vector column c on, of which `last` is the end.
GemmBlock block_for(const Gemm& g, int n, int c, int last) {
  if constexpr (masks_memory) {
    const int left = g.columns - c * vector_lanes;
    if (n == register_rows && c + 2 == last && left > vector_lanes &&
        left <= vector_lanes + vector_lanes / 2)
      return gemm_half_block;
  }
  return (c + 2 <= last ? two_columns : one_column)[static_cast<std::size_t>(n - 1)];
}

void gemm_columns(const Gemm& g, int rows, int first, int last, const float* x, float* y,
                  const float* residual) {
  if (g.narrow) return narrow_gemm(g, rows, x, y, residual);
  // Small weights stay in L1, so that x is read only once.
  const std::size_t bytes = g.column_size * static_cast<std::size_t>(last - first) * sizeof(float);
  const int chunk = bytes <= 24 << 10 ? register_rows : rows;
  for (int r0 = 0; r0 < rows; r0 += chunk)
    for (int c = first; c < last; c += 2) {
      const int wide = std::min(std::min(c + 2, last) * vector_lanes, g.columns) - c * vector_lanes;
      for (int r = r0, end = std::min(rows, r0 + chunk); r < end;) {
        const int n = std::min(register_rows, end - r);
        const std::size_t row = static_cast<std::size_t>(r);
        const std::size_t at = row * g.y_stride + static_cast<std::size_t>(c * vector_lanes);
        block_for(g, n, c, last)(g, x + row * g.x_stride,
                                 g.w + static_cast<std::size_t>(c) * g.column_size,
                                 c * vector_lanes, y + at, residual ? residual + at : nullptr);
        if (!g.epilogue.clamps())
          activate(g.epilogue, n, static_cast<std::size_t>(wide), g.y_stride, y + at);
        r += n;
      }
    }
}

// A vector column is one stream of weights, and four partial sums hide the latency of the sums.
void gemv_columns(const Gemm& g, int first, int last, const float* x, float* y,
                  const float* residual) {
  const D d;
  constexpr auto n = static_cast<std::size_t>(vector_lanes);
  const V lo = hn::Set(d, g.epilogue.lo), hi = hn::Set(d, g.epilogue.hi);
  for (int c = first; c < last; ++c) {
    const float* p = g.w + static_cast<std::size_t>(c) * g.column_size;
    V s0 = hn::LoadU(d, g.bias + c * vector_lanes), s1 = hn::Zero(d), s2 = s1, s3 = s1;
    std::size_t i = 0;
    for (; i + 4 <= g.k; i += 4, p += 4 * n) {
      s0 = hn::MulAdd(hn::Set(d, x[i]), hn::LoadU(d, p), s0);
      s1 = hn::MulAdd(hn::Set(d, x[i + 1]), hn::LoadU(d, p + n), s1);
      s2 = hn::MulAdd(hn::Set(d, x[i + 2]), hn::LoadU(d, p + 2 * n), s2);
      s3 = hn::MulAdd(hn::Set(d, x[i + 3]), hn::LoadU(d, p + 3 * n), s3);
    }
    for (; i < g.k; ++i, p += n) s0 = hn::MulAdd(hn::Set(d, x[i]), hn::LoadU(d, p), s0);
    V v = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
    const std::size_t at = static_cast<std::size_t>(c) * n;
    const int left = g.columns - c * vector_lanes;
    if (g.accumulate) v = hn::Add(v, load_some(y + at, left));
    if (residual) v = hn::Add(v, load_some(residual + at, left));
    store_some(clamped_result(v, lo, hi), y + at, left);
  }
  if (g.epilogue.clamps() || first >= last) return;
  const std::size_t at = static_cast<std::size_t>(first) * n;
  const std::size_t end =
      std::min(static_cast<std::size_t>(last) * n, static_cast<std::size_t>(g.columns));
  activate(g.epilogue, 1, end - at, 0, y + at);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(gemm_columns);
HWY_EXPORT(gemv_columns);

bool is_narrow(int columns, std::size_t segments, std::size_t k) {
  const auto n = static_cast<std::size_t>(lanes()), all = static_cast<std::size_t>(columns);
  // Lanes are summed in about as many steps. The margin is for x, which both read from L1.
  const std::size_t steps = all * (segments * ((k + n - 1) / n) + 8);
  return all <= n && 5 * steps <= 4 * segments * k;
}
void gemm(const Gemm& g, int rows, int first, int last, const float* x, float* y,
          const float* residual) {
  HWY_DYNAMIC_DISPATCH(gemm_columns)(g, rows, first, last, x, y, residual);
}
void gemv(const Gemm& g, int first, int last, const float* x, float* y, const float* residual) {
  HWY_DYNAMIC_DISPATCH(gemv_columns)(g, first, last, x, y, residual);
}
}  // namespace webnn::inline v0_1::simd
#endif
