#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/rows.cpp"
#include "src/kernels/simd/vector/int8/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/quotients-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void map_bytes(const std::uint8_t*, const std::uint8_t*, std::size_t, std::uint8_t*) {}
void join_bytes(const Int8Binary&, const std::uint8_t*, std::size_t, const std::uint8_t*,
                std::size_t, std::size_t, std::uint8_t*) {}
void floats_of_bytes(const std::uint8_t*, std::size_t, std::uint8_t, std::int32_t, float, float*) {}
void bytes_of_floats(const float*, std::size_t, float, const Int8Result&, std::uint8_t*) {}
void bytes_of_quotients(const float*, std::size_t, float, std::uint8_t, std::uint8_t*) {}
void mean_of_windows(const Int8Window&, const std::uint8_t*, std::size_t, std::uint8_t,
                     std::int32_t, FixedPoint, const Int8Result&, std::uint8_t*) {}
void float_mean_of_windows(const Int8Window&, const std::uint8_t*, std::size_t, std::uint8_t,
                           std::int32_t, float, const Int8Result&, std::uint8_t*) {}
void float_average_of_windows(const Int8Window&, const std::uint8_t*, std::size_t,
                              const Int8FloatAverage&, const Int8Result&, std::uint8_t*) {}
void average_of_windows(const Int8Window&, const std::uint8_t*, std::size_t, const Int8Result&,
                        std::uint8_t*) {}
void max_of_windows(const Int8Window&, const std::uint8_t*, std::size_t, std::uint8_t,
                    std::uint8_t*) {}
void table_of_powers(const float*, float, std::uint8_t, std::uint8_t, const Int8Result&,
                     std::uint8_t*) {}

#else

constexpr auto lanes = static_cast<std::size_t>(vector_lanes);

void map_bytes(const std::uint8_t* table, const std::uint8_t* x, std::size_t n, std::uint8_t* y) {
  std::size_t i = 0;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
  const DB d;
  const auto part = [&](std::size_t k) { return hn::LoadU(d, table + k * vector_bytes).raw; };
  const auto a = part(0), b = part(1), c = part(2), e = part(3);
  const auto at = [&](VB index) HWY_ATTR {
    const auto low = _mm512_permutex2var_epi8(a, index.raw, b);
    const auto high = _mm512_permutex2var_epi8(c, index.raw, e);
    return VB{_mm512_mask_blend_epi8(_mm512_movepi8_mask(index.raw), low, high)};
  };
  for (; i + vector_bytes <= n; i += vector_bytes) hn::StoreU(at(hn::LoadU(d, x + i)), d, y + i);
#endif
  for (; i < n; ++i) y[i] = table[x[i]];
}

template <Int8Binary::What what>
void join_all(const Int8Binary& g, const std::uint8_t* x, std::size_t x_step, const std::uint8_t* z,
              std::size_t z_step, std::size_t n, std::uint8_t* y) {
  using enum Int8Binary::What;
  const Output output(g.result);
  const Factor a(g.a), b(g.b), factor(g.factor);
  const bool a_halves = is_half(g.a), b_halves = is_half(g.b);
  const auto load = [](const std::uint8_t* p, std::size_t step, std::size_t left, std::uint8_t flip,
                       std::int32_t zero) HWY_ATTR {
    if (step == 0) return hn::Set(DI(), (*p ^ flip) - zero);
    return hn::Sub(load_ints(p, left, flip), hn::Set(DI(), zero));
  };
  const auto one = [&](std::size_t i, std::size_t left) HWY_ATTR {
    const VI v = load(x + i * x_step, x_step, left, g.x_flip, g.x_zero);
    const VI w = load(z + i * z_step, z_step, left, g.z_flip, g.z_zero);
    if constexpr (what == product) return factor.of<Ties::away>(hn::Mul(v, w));
    // The factor of the operand with the larger scale is 1/2, which needs no product.
    const VI p = a_halves ? hn::ShiftLeft<19>(v) : a.of<Ties::away>(hn::ShiftLeft<20>(v));
    const VI q = b_halves ? hn::ShiftLeft<19>(w) : b.of<Ties::away>(hn::ShiftLeft<20>(w));
    return factor.of<Ties::away>(what == sum ? hn::Add(p, q) : hn::Sub(p, q));
  };
  for (std::size_t i = 0; i < n; i += lanes) output.store(one(i, n - i), y + i, n - i);
}
void join_bytes(const Int8Binary& g, const std::uint8_t* x, std::size_t x_step,
                const std::uint8_t* z, std::size_t z_step, std::size_t n, std::uint8_t* y) {
  using enum Int8Binary::What;
  switch (g.what) {
    case sum: return join_all<sum>(g, x, x_step, z, z_step, n, y);
    case difference: return join_all<difference>(g, x, x_step, z, z_step, n, y);
    case product: return join_all<product>(g, x, x_step, z, z_step, n, y);
  }
}

void floats_of_bytes(const std::uint8_t* x, std::size_t n, std::uint8_t flip, std::int32_t zero,
                     float scale, float* y) {
  const V s = hn::Set(D(), scale);
  const VI z = hn::Set(DI(), zero);
  for (std::size_t i = 0; i < n; i += lanes) {
    const VI v = hn::Sub(load_ints(x + i, n - i, flip), z);
    store_some(hn::Mul(hn::ConvertTo(D(), v), s), y + i, static_cast<int>(std::min(n - i, lanes)));
  }
}

void bytes_of(const Quotients& quotients, const float* x, std::size_t n, const Int8Result& result,
              std::uint8_t* y) {
  const D d;
  const Quarter quarter;
  const Output output(result);
  const auto flip = hn::Set(quarter, result.flip);
  const VI zero = hn::Set(DI(), result.zero);
  const auto store = [&](VI v, std::uint8_t* to) HWY_ATTR {
    hn::StoreU(hn::Xor(hn::DemoteTo(quarter, hn::Add(v, zero)), flip), quarter, to);
  };
  std::size_t i = 0;
  for (; i + vector_bytes <= n; i += vector_bytes) {
    const V v[4] = {hn::LoadU(d, x + i), hn::LoadU(d, x + i + lanes),
                    hn::LoadU(d, x + i + 2 * lanes), hn::LoadU(d, x + i + 3 * lanes)};
    VI q[4];
    quotients.round(v, q);
    hn::StoreU(in_rows(output.bytes(q[0], q[1], q[2], q[3])), DB(), y + i);
  }
  for (; i < n; i += lanes) {
    HWY_ALIGN std::uint8_t some[vector_bytes];
    const V v[1] = {load_some(x + i, static_cast<int>(std::min(n - i, lanes)))};
    VI q[1];
    quotients.round(v, q);
    store(q[0], some);
    std::memcpy(y + i, some, std::min(n - i, lanes));
  }
}
void bytes_of_floats(const float* x, std::size_t n, float scale, const Int8Result& result,
                     std::uint8_t* y) {
  bytes_of(Quotients(scale, result), x, n, result, y);
}
/// round(x / scale) is exact, and so is its sum with a zero point where it is within the bounds.
void bytes_of_quotients(const float* x, std::size_t n, float scale, std::uint8_t zero,
                        std::uint8_t* y) {
  const Int8Result result{.zero = zero};
  bytes_of(Quotients(scale, result, static_cast<float>(-zero)), x, n, result, y);
}

/// For each channel of a window result(of(bias + sum)).
template <class Of>
HWY_INLINE void sums_of_windows(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                                std::uint8_t flip, std::int32_t bias, const Int8Result& result,
                                std::uint8_t* y, Of of) {
  const Output output(result);
  for (std::size_t c = 0; c < channels; c += lanes) {
    const std::size_t left = channels - c;
    VI sum = hn::Set(DI(), bias);
    for (std::size_t r = 0; r < w.rows; ++r) {
      const std::uint8_t* p = x + r * w.row_step + c;
      for (std::size_t k = 0; k < w.columns; ++k, p += w.column_step)
        sum = hn::Add(sum, load_ints(p, left, flip));
    }
    if (left < lanes)  // lanes without a channel
      sum = hn::IfThenElseZero(hn::FirstN(DI(), left), sum);
    output.store(of(sum), y + c, left);
  }
}
void mean_of_windows(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                     std::uint8_t flip, std::int32_t bias, FixedPoint scale,
                     const Int8Result& result, std::uint8_t* y) {
  const Factor factor(scale);
  sums_of_windows(w, x, channels, flip, bias, result, y,
                  [&](VI sum) HWY_ATTR { return factor.of<Ties::away>(sum); });
}
void float_mean_of_windows(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                           std::uint8_t flip, std::int32_t bias, float scale,
                           const Int8Result& result, std::uint8_t* y) {
  const V factor = hn::Set(D(), scale);
  sums_of_windows(w, x, channels, flip, bias, result, y, [&](VI sum) HWY_ATTR {
    return nearest_integers(hn::Mul(hn::ConvertTo(D(), sum), factor));
  });
}
void float_average_of_windows(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                              const Int8FloatAverage& g, const Int8Result& result,
                              std::uint8_t* y) {
  const D d;
  const Output output(result);
  const VI zero = hn::Set(DI(), g.zero);
  const V x_scale = hn::Set(d, g.x_scale), scale = hn::Set(d, g.scale),
          count = hn::Set(d, static_cast<float>(w.rows * w.columns));
  for (std::size_t c = 0; c < channels; c += lanes) {
    const std::size_t left = channels - c;
    V sum = hn::Zero(d);
    for (std::size_t k = 0; k < w.columns; ++k) {
      V column = hn::Zero(d);
      for (std::size_t r = 0; r < w.rows; ++r) {
        const std::uint8_t* p = x + r * w.row_step + k * w.column_step + c;
        const V v = hn::ConvertTo(d, hn::Sub(load_ints(p, left, g.flip), zero));
        column = hn::Add(column, hn::Mul(v, x_scale));
      }
      sum = hn::Add(sum, column);
    }
    output.store(nearest_integers(hn::Div(hn::Div(sum, count), scale)), y + c, left);
  }
}
void average_of_windows(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                        const Int8Result& result, std::uint8_t* y) {
  const auto n = static_cast<std::int32_t>(w.rows * w.columns);
  const std::int32_t middle = result.flip;  // what stands for 0 of signed bytes
  Int8Result centered = result;
  centered.zero = middle;
  const VI count = hn::Set(DI(), n), half = hn::Set(DI(), n / 2);
  const V inverse = hn::Set(D(), n ? 1 / static_cast<float>(n) : 0);
  sums_of_windows(w, x, channels, result.flip, -n * middle, centered, y, [&](VI sum) HWY_ATTR {
    const VI a = hn::Add(hn::Abs(sum), half);
    // The quotient is off by one at most; the remainder corrects it.
    VI q = hn::ConvertTo(DI(), hn::Mul(hn::ConvertTo(D(), a), inverse));
    const VI rest = hn::Sub(a, hn::Mul(q, count));
    q = hn::Add(q, hn::VecFromMask(DI(), hn::Lt(rest, hn::Zero(DI()))));
    q = hn::Sub(q, hn::VecFromMask(DI(), hn::Gt(rest, hn::Sub(count, hn::Set(DI(), 1)))));
    return hn::IfThenElse(hn::Lt(sum, hn::Zero(DI())), hn::Neg(q), q);
  });
}

void max_of_windows(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                    std::uint8_t flip, std::uint8_t* y) {
  const VB f = hn::Set(DB(), flip);
  for (std::size_t c = 0; c < channels; c += vector_bytes) {
    const std::size_t left = channels - c;
    VB largest = hn::Zero(DB());
    for (std::size_t r = 0; r < w.rows; ++r) {
      const std::uint8_t* p = x + r * w.row_step + c;
      for (std::size_t k = 0; k < w.columns; ++k, p += w.column_step)
        largest = hn::Max(largest, hn::Xor(load_bytes(p, left), f));
    }
    store_bytes(hn::Xor(largest, f), y + c, left);
  }
}

void table_of_powers(const float* powers, float scale, std::uint8_t largest, std::uint8_t flip,
                     const Int8Result& result, std::uint8_t* table) {
  const Output output(result);
  const V s = hn::Set(D(), scale);
  HWY_ALIGN std::uint8_t by_distance[256];
  for (std::size_t i = 0; i < 256; i += lanes)
    output.store(hn::NearestInt(hn::Mul(hn::LoadU(D(), powers + i), s)), by_distance + i, lanes);
  for (std::size_t d = 0; d <= largest; ++d)
    table[static_cast<std::uint8_t>(largest - d) ^ flip] = by_distance[d];
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(map_bytes);
HWY_EXPORT(join_bytes);
HWY_EXPORT(floats_of_bytes);
HWY_EXPORT(bytes_of_floats);
HWY_EXPORT(bytes_of_quotients);
HWY_EXPORT(mean_of_windows);
HWY_EXPORT(float_mean_of_windows);
HWY_EXPORT(float_average_of_windows);
HWY_EXPORT(average_of_windows);
HWY_EXPORT(max_of_windows);
HWY_EXPORT(table_of_powers);

void int8_map(const std::uint8_t* table, const std::uint8_t* x, std::size_t n, std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(map_bytes)(table, x, n, y);
}
void int8_binary(const Int8Binary& g, const std::uint8_t* x, std::size_t x_step,
                 const std::uint8_t* z, std::size_t z_step, std::size_t n, std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(join_bytes)(g, x, x_step, z, z_step, n, y);
}
void int8_dequantize(const std::uint8_t* x, std::size_t n, std::uint8_t flip, std::int32_t zero,
                     float scale, float* y) {
  HWY_DYNAMIC_DISPATCH(floats_of_bytes)(x, n, flip, zero, scale, y);
  if (std::isfinite(scale)) return;
  for (std::size_t i = 0; i < n; ++i)  // one NaN for all, as in nan-inl.h
    if (std::isnan(y[i])) y[i] = std::numeric_limits<float>::quiet_NaN();
}
void int8_quantize(const float* x, std::size_t n, float scale, const Int8Result& result,
                   std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(bytes_of_floats)(x, n, scale, result, y);
}
void int8_quantize_quotient(const float* x, std::size_t n, float scale, std::uint8_t zero,
                            std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(bytes_of_quotients)(x, n, scale, zero, y);
}
void int8_mean(const Int8Window& w, const std::uint8_t* x, std::size_t channels, std::uint8_t flip,
               std::int32_t bias, FixedPoint scale, const Int8Result& result, std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(mean_of_windows)(w, x, channels, flip, bias, scale, result, y);
}
void int8_float_mean(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                     std::uint8_t flip, std::int32_t bias, float scale, const Int8Result& result,
                     std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(float_mean_of_windows)(w, x, channels, flip, bias, scale, result, y);
}
void int8_float_average(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                        const Int8FloatAverage& g, const Int8Result& result, std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(float_average_of_windows)(w, x, channels, g, result, y);
}
void int8_average(const Int8Window& w, const std::uint8_t* x, std::size_t channels,
                  const Int8Result& result, std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(average_of_windows)(w, x, channels, result, y);
}
void int8_max(const Int8Window& w, const std::uint8_t* x, std::size_t channels, std::uint8_t flip,
              std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(max_of_windows)(w, x, channels, flip, y);
}
void int8_power_table(const float* powers, float scale, std::uint8_t largest, std::uint8_t flip,
                      const Int8Result& result, std::uint8_t* table) {
  HWY_DYNAMIC_DISPATCH(table_of_powers)(powers, scale, largest, flip, result, table);
}
}  // namespace webnn::inline v0_1::simd
#endif
