// Products with few columns: vectors of terms, whose lanes are summed in the end. One copy per
// target.
#if defined(WEBNN_SIMD_NARROW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_NARROW_INL_H
#undef WEBNN_SIMD_NARROW_INL_H
#else
#define WEBNN_SIMD_NARROW_INL_H
#endif
#include <algorithm>

#include "src/kernels/simd/vector/float32/epilogue-inl.h"
#include "src/kernels/simd/vector/float32/gemm.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// Columns of a block, and its rows: with a vector for each column they fill 16 registers.
inline constexpr int narrow_columns = 3;
constexpr int narrow_rows(int columns) { return std::min(8, 12 / columns); }

/// y[Rows][Columns] from column `column` on. The sum of an element is the same in every block.
template <int Rows, int Columns>
HWY_NOINLINE void narrow_block(const Gemm& g, const float* HWY_RESTRICT x, int column, float* y,
                               const float* residual) {
  const D d;
  constexpr auto n = static_cast<std::size_t>(vector_lanes);
  const float* HWY_RESTRICT w = g.w + static_cast<std::size_t>(column) * g.column_size;
  V sum[Rows][Columns];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) sum[r][c] = hn::Zero(d);
  const auto add = [&](std::size_t k, auto load) HWY_ATTR {
    V b[Columns];
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c)
      b[c] = load(w + k + static_cast<std::size_t>(c) * g.column_size);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const V a = load(x + static_cast<std::size_t>(r) * g.x_stride + k);
#pragma GCC unroll 4
      for (int c = 0; c < Columns; ++c) sum[r][c] = hn::MulAdd(a, b[c], sum[r][c]);
    }
  };
  for (std::size_t s = 0; s < g.segments; ++s, x += g.segment_stride, w += g.k) {
    std::size_t k = 0;
    for (; k + n <= g.k; k += n) add(k, [&](const float* p) HWY_ATTR { return hn::LoadU(d, p); });
    if (k == g.k) continue;
    const int left = static_cast<int>(g.k - k);
    add(k, [&](const float* p) HWY_ATTR { return load_first(p, left); });
  }
  const Epilogue& e = g.epilogue;
  for (int r = 0; r < Rows; ++r)
    for (int c = 0; c < Columns; ++c) {
      const std::size_t at = static_cast<std::size_t>(r) * g.y_stride + static_cast<std::size_t>(c);
      float v = hn::GetLane(hn::SumOfLanes(d, sum[r][c]));
      v += g.accumulate ? y[at] : g.bias[column + c];
      if (residual) v += residual[at];
      y[at] = v < e.lo ? e.lo : v > e.hi ? e.hi : with_one_nan(v);
    }
}

/// Rows [0, rows) of the columns [column, column + Columns).
template <int Columns>
void narrow_block_rows(const Gemm& g, int rows, int column, const float* x, float* y,
                       const float* residual) {
  constexpr int together = narrow_rows(Columns);
  for (int r = 0; r < rows;) {
    const auto row = static_cast<std::size_t>(r);
    const std::size_t at = row * g.y_stride + static_cast<std::size_t>(column);
    const auto block =
        r + together <= rows ? narrow_block<together, Columns> : narrow_block<1, Columns>;
    block(g, x + row * g.x_stride, column, y + at, residual ? residual + at : nullptr);
    r += r + together <= rows ? together : 1;
  }
}

/// All columns of the rows [0, rows).
inline void narrow_gemm(const Gemm& g, int rows, const float* x, float* y, const float* residual) {
  for (int c = 0; c < g.columns; c += narrow_columns) {
    const int left = g.columns - c;
    const auto some = left == 1   ? narrow_block_rows<1>
                      : left == 2 ? narrow_block_rows<2>
                                  : narrow_block_rows<narrow_columns>;
    some(g, rows, c, x, y, residual);
  }
  if (g.epilogue.clamps()) return;
  const auto wide = static_cast<std::size_t>(g.columns);
  if (g.y_stride == wide) activate(g.epilogue, 1, wide * static_cast<std::size_t>(rows), 0, y);
  else activate(g.epilogue, rows, wide, g.y_stride, y);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
