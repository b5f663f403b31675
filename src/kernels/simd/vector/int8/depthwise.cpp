#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/depthwise.cpp"
#include "src/kernels/simd/vector/int8/depthwise.h"

#include <algorithm>

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void int8_depthwise_rows(const Int8Depthwise&, int, const std::uint8_t* const*, std::uint8_t*) {}

#else

/// A vector of bytes of each of the results, from byte i on.
template <int Results, bool Sums, bool Native>
HWY_INLINE void depthwise_bytes(const Int8Depthwise& g, const Output& output, std::size_t i,
                                std::size_t turn, const std::uint8_t* const* rows,
                                std::uint8_t* y) {
  const DI d;
  const DB db;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const VB flip = hn::Set(db, g.flip);
  VI sum[Results][4], total[Results][4];
  const std::size_t at = turn * 4 * lanes;
#pragma GCC unroll 2
  for (int r = 0; r < Results; ++r)
#pragma GCC unroll 4
    for (std::size_t n = 0; n < 4; ++n) {
      sum[r][n] = hn::LoadU(d, g.bias + at + n * lanes);
      total[r][n] = hn::Zero(d);
    }
  const std::int8_t* w = g.w + turn * g.kernel_w * g.quads * 4 * vector_bytes;
  for (std::size_t k = 0; k < g.kernel_w; ++k) {
    const std::size_t from = g.columns[k] + i;
    for (std::size_t q = 0; q < g.quads; ++q, w += 4 * vector_bytes) {
      const auto load = [&](std::size_t row) HWY_ATTR {
        return hn::Xor(hn::LoadU(db, rows[4 * q + row] + from), flip);
      };
      VI x[4];
      interleave_quads(load(0), load(1), load(2), load(3), x);
#pragma GCC unroll 2
      for (int r = 0; r < Results; ++r)
#pragma GCC unroll 4
        for (std::size_t n = 0; n < 4; ++n) {
          const std::int8_t* f = w + static_cast<std::size_t>(r) * g.second + n * vector_bytes;
          sum[r][n] = dot<Native>(sum[r][n], x[n], hn::LoadU(d, as_ints(f)));
          if constexpr (Sums)
            total[r][n] = dot<Native>(
                total[r][n], x[n], hn::Set(d, g.ones[static_cast<std::size_t>(r) * g.quads + q]));
        }
    }
  }
#pragma GCC unroll 4
  for (std::size_t n = 0; n < 4; ++n) {
    if constexpr (Sums) {
#pragma GCC unroll 2
      for (int r = 0; r < Results; ++r)
        sum[r][n] =
            hn::Sub(sum[r][n], hn::Mul(total[r][n], hn::LoadU(d, g.w_zero + at + n * lanes)));
    }
    with_factors<Ties::away>(g.scale, at + n * lanes, [&](auto rounded) HWY_ATTR {
#pragma GCC unroll 2
      for (int r = 0; r < Results; ++r) sum[r][n] = rounded(sum[r][n]);
    });
  }
#pragma GCC unroll 2
  for (int r = 0; r < Results; ++r)
    store_bytes(output.bytes(sum[r]), y + static_cast<std::size_t>(r) * g.row + i, g.row - i);
}

template <int Results, bool Sums, bool Native>
void depthwise_results(const Int8Depthwise& g, const std::uint8_t* const* rows, std::uint8_t* y) {
  const Output output(g.result);
  std::size_t turn = 0;
  for (std::size_t i = 0; i < g.row; i += vector_bytes) {
    depthwise_bytes<Results, Sums, Native>(g, output, i, turn, rows, y);
    if (++turn == g.period) turn = 0;
  }
}

template <bool Native>
void depthwise_rows(const Int8Depthwise& g, int results, const std::uint8_t* const* rows,
                    std::uint8_t* y) {
  const auto run = g.w_zero       ? results == 2 ? depthwise_results<2, true, Native>
                                                 : depthwise_results<1, true, Native>
                         : results == 2 ? depthwise_results<2, false, Native>
                                  : depthwise_results<1, false, Native>;
  run(g, rows, y);
}
void int8_depthwise_rows(const Int8Depthwise& g, int results, const std::uint8_t* const* rows,
                         std::uint8_t* y) {
  if constexpr (may_be_native)
    if (g.dot_product == Int8DotProduct::instruction)
      return depthwise_rows<true>(g, results, rows, y);
  depthwise_rows<false>(g, results, rows, y);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(int8_depthwise_rows);
void int8_depthwise(const Int8Depthwise& g, int results, const std::uint8_t* const* rows,
                    std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(int8_depthwise_rows)(g, results, rows, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
