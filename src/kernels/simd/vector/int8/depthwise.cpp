#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/depthwise.cpp"
#include "src/kernels/simd/vector/int8/depthwise.h"

#include <algorithm>

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/integers-inl.h"
#include "src/kernels/simd/vector/unrolled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void int8_depthwise_rows(const Int8Depthwise&, int, const std::uint8_t* const*, std::uint8_t*) {}

#else

/// The bytes from byte i on of the sums of each result.
template <class AFactor, int Results>
HWY_INLINE void store_sums(const Int8Depthwise& g, const Output& output, VI (&sum)[Results][4],
                           std::size_t at, std::size_t i, std::uint8_t* y) {
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  unrolled<4>([&](auto n) WEBNN_UNROLLED {
    const AFactor factor(g.scale, at + std::size_t{n} * lanes);
    unrolled<Results>(
        [&](auto r) WEBNN_UNROLLED { sum[r][n] = factor.template of<Ties::away>(sum[r][n]); });
  });
  unrolled<Results>([&](auto r) WEBNN_UNROLLED {
    store_bytes(output.bytes(sum[r][0], sum[r][1], sum[r][2], sum[r][3]),
                y + std::size_t{r} * g.row + i, g.row - i);
  });
}

/// A vector of bytes of each of the results, from byte i on.
template <class AFactor, int Results, bool Sums, bool Native>
HWY_INLINE void depthwise_bytes(const Int8Depthwise& g, const Output& output, std::size_t i,
                                std::size_t turn, const std::uint8_t* const* rows,
                                std::uint8_t* y) {
  const DI d;
  const DB db;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const VB flip = hn::Set(db, g.flip);
  VI sum[Results][4], total[Results][4];
  const std::size_t at = turn * 4 * lanes;
  unrolled<4>([&](auto n) WEBNN_UNROLLED {
    const VI bias = hn::LoadU(d, g.bias + at + std::size_t{n} * lanes);
    unrolled<Results>([&](auto r) WEBNN_UNROLLED {
      sum[r][n] = bias;
      total[r][n] = hn::Zero(d);
    });
  });
  const std::int8_t* w = g.w + turn * g.kernel_w * g.quads * 4 * vector_bytes;
  for (std::size_t k = 0; k < g.kernel_w; ++k) {
    const std::size_t from = g.columns[k] + i;
    for (std::size_t q = 0; q < g.quads; ++q, w += 4 * vector_bytes) {
      const auto load = [&](std::size_t row) WEBNN_UNROLLED {
        return hn::Xor(hn::LoadU(db, rows[4 * q + row] + from), flip);
      };
      VI x[4];
      interleave_quads(load(0), load(1), load(2), load(3), x);
      unrolled<Results>([&](auto r) WEBNN_UNROLLED {
        unrolled<4>([&](auto n) WEBNN_UNROLLED {
          const std::int8_t* f = w + std::size_t{r} * g.second + std::size_t{n} * vector_bytes;
          sum[r][n] = dot<Native>(sum[r][n], x[n], hn::LoadU(d, as_ints(f)));
          if constexpr (Sums)
            total[r][n] =
                dot<Native>(total[r][n], x[n], hn::Set(d, g.ones[std::size_t{r} * g.quads + q]));
        });
      });
    }
  }
  if constexpr (Sums)
    unrolled<4>([&](auto n) WEBNN_UNROLLED {
      const VI zero = hn::LoadU(d, g.w_zero + at + std::size_t{n} * lanes);
      unrolled<Results>([&](auto r) WEBNN_UNROLLED {
        sum[r][n] = hn::Sub(sum[r][n], hn::Mul(total[r][n], zero));
      });
    });
  store_sums<AFactor>(g, output, sum, at, i, y);
}

/// The same for all bytes where windows share columns, which are interleaved once.
template <class AFactor, int Results, int Fresh, bool Native>
void depthwise_columns(const Int8Depthwise& g, const std::uint8_t* const* rows, std::uint8_t* y) {
  const DI d;
  const DB db;
  constexpr int columns = 3;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const Output output(g.result);
  const VB flip = hn::Set(db, g.flip);
  const std::uint8_t *const r0 = rows[0], *const r1 = rows[1], *const r2 = rows[2],
                            *const r3 = rows[3];
  const auto load = [&](std::size_t from, VI(&x)[4]) WEBNN_UNROLLED {
    const auto of_row = [&](const std::uint8_t* row)
                            WEBNN_UNROLLED { return hn::Xor(hn::LoadU(db, row + from), flip); };
    interleave_quads(of_row(r0), of_row(r1), of_row(r2), of_row(r3), x);
  };
  for (std::size_t turn = 0; turn < g.period; ++turn) {
    const std::size_t at = turn * 4 * lanes, first = turn * vector_bytes;
    if (first >= g.row) break;
    const std::int8_t* const w = g.w + turn * columns * 4 * vector_bytes;
    VI x[columns][4];
    unrolled<columns - Fresh>([&](auto k)
                                  WEBNN_UNROLLED { load(g.columns[k] + first, x[k + Fresh]); });
    for (std::size_t i = first; i < g.row; i += g.period * vector_bytes) {
      unrolled<columns - Fresh>([&](auto k) WEBNN_UNROLLED {
        unrolled<4>([&](auto n) WEBNN_UNROLLED { x[k][n] = x[k + Fresh][n]; });
      });
      unrolled<Fresh>([&](auto f) WEBNN_UNROLLED {
        constexpr int k = columns - Fresh + f;
        load(g.columns[k] + i, x[k]);
      });
      VI sum[Results][4];
      unrolled<Results>([&](auto r) WEBNN_UNROLLED {
        unrolled<4>([&](auto n) WEBNN_UNROLLED {
          sum[r][n] = hn::LoadU(d, g.bias + at + std::size_t{n} * lanes);
          unrolled<columns>([&](auto k) WEBNN_UNROLLED {
            const std::int8_t* const f =
                w + std::size_t{r} * g.second + std::size_t{4 * k + n} * vector_bytes;
            sum[r][n] = dot<Native>(sum[r][n], x[k][n], hn::LoadU(d, as_ints(f)));
          });
        });
      });
      store_sums<AFactor>(g, output, sum, at, i, y);
    }
  }
}

template <class AFactor, int Results, bool Sums, bool Native>
void depthwise_results(const Int8Depthwise& g, const std::uint8_t* const* rows, std::uint8_t* y) {
  const Output output(g.result);
  std::size_t turn = 0;
  for (std::size_t i = 0; i < g.row; i += vector_bytes) {
    depthwise_bytes<AFactor, Results, Sums, Native>(g, output, i, turn, rows, y);
    if (++turn == g.period) turn = 0;
  }
}

template <class AFactor, bool Native>
void depthwise_rows(const Int8Depthwise& g, int results, const std::uint8_t* const* rows,
                    std::uint8_t* y) {
  if constexpr (vector_registers == 32)
    if (g.fresh > 0 && !g.w_zero) {
      const auto columns = g.fresh == 1   ? results == 2 ? depthwise_columns<AFactor, 2, 1, Native>
                                                         : depthwise_columns<AFactor, 1, 1, Native>
                             : results == 2 ? depthwise_columns<AFactor, 2, 2, Native>
                                          : depthwise_columns<AFactor, 1, 2, Native>;
      return columns(g, rows, y);
    }
  const auto run = g.w_zero       ? results == 2 ? depthwise_results<AFactor, 2, true, Native>
                                                 : depthwise_results<AFactor, 1, true, Native>
                         : results == 2 ? depthwise_results<AFactor, 2, false, Native>
                                  : depthwise_results<AFactor, 1, false, Native>;
  run(g, rows, y);
}
template <bool Native>
void depthwise_rows(const Int8Depthwise& g, int results, const std::uint8_t* const* rows,
                    std::uint8_t* y) {
  if (g.scale.scales) depthwise_rows<FloatFactor, Native>(g, results, rows, y);
  else depthwise_rows<Factor, Native>(g, results, rows, y);
}
void int8_depthwise_rows(const Int8Depthwise& g, int results, const std::uint8_t* const* rows,
                         std::uint8_t* y) {
  if constexpr (may_be_native)
    if (has_instruction(g.dot_product)) return depthwise_rows<true>(g, results, rows, y);
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
