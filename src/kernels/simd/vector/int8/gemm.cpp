#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/gemm.cpp"
#include "src/kernels/simd/vector/int8/gemm.h"

#include <algorithm>

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/integers-inl.h"
#include "src/kernels/simd/vector/register_rows.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void int8_gemm_panels(const Int8Gemm&, std::size_t, int, int, const std::uint8_t*, std::uint8_t*) {}

#else

HWY_INLINE std::int32_t quad(const std::uint8_t* p) {
  std::int32_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
/// The first 1 to 3 bytes.
HWY_INLINE std::int32_t quad_of(const std::uint8_t* p, std::size_t n) {
  std::uint32_t v = p[0];
  if (n > 1) v |= std::uint32_t{p[1]} << 8;
  if (n > 2) v |= std::uint32_t{p[2]} << 16;
  return static_cast<std::int32_t>(v);
}

/// Four terms of each sum; load(r): those of row r.
template <int Rows, int Columns, bool Sums, bool Native, class Load>
HWY_INLINE void add_quad(Load load, const std::int8_t* w, VI flip, VI one, VI (&sum)[Rows][Columns],
                         VI (&total)[Rows]) {
  const DI d;
  VI b[Columns];
#pragma GCC unroll 4
  for (int c = 0; c < Columns; ++c)
    b[c] = hn::LoadU(d, as_ints(w + static_cast<std::size_t>(c) * vector_bytes));
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    const VI a = hn::Xor(hn::Set(d, load(static_cast<std::size_t>(r))), flip);
    if constexpr (Sums) total[r] = dot<Native>(total[r], a, one);
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) sum[r][c] = dot<Native>(sum[r][c], a, b[c]);
  }
}

template <int Rows, int Columns, bool Sums, bool Native>
HWY_NOINLINE void block(const Int8Gemm& g, const std::uint8_t* HWY_RESTRICT x,
                        const std::int8_t* HWY_RESTRICT w, std::size_t first,
                        std::uint8_t* HWY_RESTRICT y) {
  const DI d;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  VI sum[Rows][Columns], total[Rows];
#pragma GCC unroll 4
  for (int c = 0; c < Columns; ++c) {
    const VI bias = hn::LoadU(d, g.bias + first + static_cast<std::size_t>(c) * lanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) sum[r][c] = bias;
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) total[r] = hn::Zero(d);
  const VI flip = hn::Set(d, static_cast<std::int32_t>(0x01010101u * g.flip));
  const std::size_t whole = g.k / 4 * 4, rest = g.k % 4;
  const VI ones = hn::Set(d, 0x01010101);
  const VI last_ones = hn::Set(d, static_cast<std::int32_t>(0x01010101u & ((1u << 8 * rest) - 1)));
  for (std::size_t s = 0; s < g.segments; ++s) {
    const std::uint8_t* p = x + g.offsets[s];
    for (std::size_t k = 0; k < whole; k += 4, w += Columns * vector_bytes)
      add_quad<Rows, Columns, Sums, Native>([&](std::size_t r)
                                                HWY_ATTR { return quad(p + r * g.x_stride + k); },
                                            w, flip, ones, sum, total);
    if (rest == 0) continue;
    if (g.readable)  // the weights of the bytes behind the segment are zero
      add_quad<Rows, Columns, Sums, Native>(
          [&](std::size_t r) HWY_ATTR { return quad(p + r * g.x_stride + whole); }, w, flip,
          last_ones, sum, total);
    else
      add_quad<Rows, Columns, Sums, Native>(
          [&](std::size_t r) HWY_ATTR { return quad_of(p + r * g.x_stride + whole, rest); }, w,
          flip, last_ones, sum, total);
    w += Columns * vector_bytes;
  }
  if constexpr (Sums) {
#pragma GCC unroll 4
    for (int c = 0; c < Columns; ++c) {
      const VI zero = hn::LoadU(d, g.w_zero + first + static_cast<std::size_t>(c) * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) sum[r][c] = hn::Sub(sum[r][c], hn::Mul(total[r], zero));
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < Columns; ++c) {
    const Factor factor(g.scale, first + static_cast<std::size_t>(c) * lanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) sum[r][c] = factor.of<Ties::up>(sum[r][c]);
  }
  const Output output(g.result);
  const auto left = static_cast<std::size_t>(g.columns) - first;
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    std::uint8_t* to = y + static_cast<std::size_t>(r) * g.y_stride + first;
    if constexpr (Columns == 4) {
      store_bytes(output.bytes(sum[r]), to, left);
    } else {
#pragma GCC unroll 4
      for (std::size_t c = 0; c < Columns; ++c)
        output.store(sum[r][c], to + c * lanes, left - c * lanes);
    }
  }
}

/// As many rows at once as are left, of a few numbers of rows.
template <int Rows, int Columns, bool Sums, bool Native>
HWY_INLINE void rows_of(const Int8Gemm& g, std::size_t rows, const std::uint8_t* x,
                        const std::int8_t* w, std::size_t first, std::uint8_t* y) {
  std::size_t r = 0;
  for (; r + Rows <= rows; r += Rows)
    block<Rows, Columns, Sums, Native>(g, x + r * g.x_stride, w, first, y + r * g.y_stride);
  if constexpr (Rows > 1) {
    constexpr int fewer = Rows > 8 ? 8 : Rows > 4 ? 4 : Rows > 2 ? 2 : 1;
    if (r < rows)
      rows_of<fewer, Columns, Sums, Native>(g, rows - r, x + r * g.x_stride, w, first,
                                            y + r * g.y_stride);
  }
}

template <int Columns, bool Native>
void panel(const Int8Gemm& g, std::size_t rows, const std::uint8_t* x, const std::int8_t* w,
           std::size_t first, std::uint8_t* y) {
  constexpr int max = int8_block_rows(vector_registers, Columns);
  if (g.w_zero) rows_of<max, Columns, true, Native>(g, rows, x, w, first, y);
  else rows_of<max, Columns, false, Native>(g, rows, x, w, first, y);
}

template <bool Native>
void all_panels(const Int8Gemm& g, std::size_t rows, int first, int last, const std::uint8_t* x,
                std::uint8_t* y) {
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const std::size_t vectors = (static_cast<std::size_t>(g.columns) + lanes - 1) / lanes;
  // Rows that stay in L1 while all panels pass.
  const std::size_t steps = (24 << 10) / std::max<std::size_t>(1, g.segments * g.k) / int8_row_step;
  const std::size_t chunk = std::max<std::size_t>(1, steps) * int8_row_step;
  for (std::size_t r = 0; r < rows; r += chunk) {
    const std::size_t here = std::min(chunk, rows - r);
    for (auto p = static_cast<std::size_t>(first); p < static_cast<std::size_t>(last); ++p) {
      const std::size_t column = p * 4 * lanes;
      const std::int8_t* w = g.w + p * 4 * g.quads() * vector_bytes;
      const std::uint8_t* from = x + r * g.x_stride;
      std::uint8_t* to = y + r * g.y_stride;
      switch (std::min<std::size_t>(4, vectors - p * 4)) {
        case 1: panel<1, Native>(g, here, from, w, column, to); break;
        case 2: panel<2, Native>(g, here, from, w, column, to); break;
        case 3: panel<3, Native>(g, here, from, w, column, to); break;
        default: panel<4, Native>(g, here, from, w, column, to);
      }
    }
  }
}

void int8_gemm_panels(const Int8Gemm& g, std::size_t rows, int first, int last,
                      const std::uint8_t* x, std::uint8_t* y) {
  if constexpr (may_be_native)
    if (g.dot_product == Int8DotProduct::instruction)
      return all_panels<true>(g, rows, first, last, x, y);
  all_panels<false>(g, rows, first, last, x, y);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(int8_gemm_panels);
void int8_gemm(const Int8Gemm& g, std::size_t rows, int first, int last, const std::uint8_t* x,
               std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(int8_gemm_panels)(g, rows, first, last, x, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
