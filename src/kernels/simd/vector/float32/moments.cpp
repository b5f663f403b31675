#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/moments.cpp"
#include "src/kernels/simd/vector/float32/moments.h"

#include <hwy/foreach_target.h>

#include <algorithm>

#include "src/kernels/simd/vector/float32/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

constexpr auto moment_lanes = static_cast<std::size_t>(vector_lanes);

/// So many pixels that all channels of them stay in L1 while vector after vector of the channels is
/// worked on.
inline std::size_t pixels_at_once(std::size_t channels) {
  constexpr std::size_t floats = 4096;
  return std::max<std::size_t>(8, floats / channels);
}

HWY_INLINE void store_doubles(const Doubles& v, double* to, std::size_t left) {
  const Doubles::Wide wide;
  constexpr std::size_t half = moment_lanes / 2;
  if (left >= moment_lanes) {
    hn::StoreU(v.lower, wide, to);
    hn::StoreU(v.upper, wide, to + half);
    return;
  }
  HWY_ALIGN double all[moment_lanes];
  hn::Store(v.lower, wide, all);
  hn::Store(v.upper, wide, all + half);
  std::copy_n(all, left, to);
}
HWY_INLINE Doubles load_doubles(const double* from, std::size_t left) {
  const Doubles::Wide wide;
  constexpr std::size_t half = moment_lanes / 2;
  if (left >= moment_lanes) return {hn::LoadU(wide, from), hn::LoadU(wide, from + half)};
  HWY_ALIGN double all[moment_lanes] = {};
  std::copy_n(from, left, all);
  return {hn::Load(wide, all), hn::Load(wide, all + half)};
}

/// Adds to the moments of a vector of channels, of which `left` count.
template <bool whole>
HWY_INLINE void add_vector(const float* x, std::size_t pixels, std::size_t channels,
                           const float* origin, const Moments& to, std::size_t left) {
  [[maybe_unused]] const int n = static_cast<int>(left);
  const auto load = [=](const float* p) HWY_ATTR {
    if constexpr (whole) return hn::LoadU(D(), p);
    else return load_first(p, n);
  };
  const Doubles from = doubles(load(origin));
  Doubles sum = load_doubles(to.sums, left), square = load_doubles(to.squares, left);
  for (std::size_t i = 0; i < pixels; ++i, x += channels) {
    const Doubles v = doubles(load(x));
    const auto lower = hn::Sub(v.lower, from.lower), upper = hn::Sub(v.upper, from.upper);
    sum.lower = hn::Add(sum.lower, lower);
    sum.upper = hn::Add(sum.upper, upper);
    square.lower = hn::MulAdd(lower, lower, square.lower);
    square.upper = hn::MulAdd(upper, upper, square.upper);
  }
  store_doubles(sum, to.sums, left);
  store_doubles(square, to.squares, left);
}

void add_pixels(const float* x, std::size_t pixels, std::size_t channels, const float* origin,
                const Moments& to) {
  std::fill_n(to.sums, channels, 0.0);
  std::fill_n(to.squares, channels, 0.0);
  const std::size_t step = pixels_at_once(channels);
  for (std::size_t i = 0; i < pixels; i += step) {
    const std::size_t n = std::min(step, pixels - i);
    const float* from = x + i * channels;
    std::size_t c = 0;
    for (; c + moment_lanes <= channels; c += moment_lanes)
      add_vector<true>(from + c, n, channels, origin + c, {to.sums + c, to.squares + c},
                       moment_lanes);
    if (c < channels)
      add_vector<false>(from + c, n, channels, origin + c, {to.sums + c, to.squares + c},
                        channels - c);
  }
}

/// What is computed from each element of the channels from c on.
template <class Load> HWY_INLINE auto formula(const Standardization& s, std::size_t c, Load load) {
  const V mean = load(s.mean + c), rest = load(s.mean_rest + c), factor = load(s.factor + c),
          bias = load(s.bias + c);
  return [=](V x) HWY_ATTR { return hn::MulAdd(hn::Sub(hn::Sub(x, mean), rest), factor, bias); };
}
template <class Load> HWY_INLINE auto formula(const Normalization& s, std::size_t c, Load load) {
  const V mean = load(s.mean + c), factor = load(s.factor + c),
          factor_rest = load(s.factor_rest + c), bias = load(s.bias + c);
#if HWY_NATIVE_FMA
  return [=](V x) HWY_ATTR {
    const V difference = hn::Sub(x, mean), part = hn::Sub(difference, x);
    const V error = hn::Sub(hn::Sub(x, hn::Sub(difference, part)), hn::Add(mean, part));
    const V y = hn::MulAdd(difference, factor, bias);
    const V rest = hn::MulAdd(difference, factor_rest, hn::Mul(error, factor));
    // The rest would make NaN of what is infinite.
    return hn::IfThenElse(hn::IsFinite(y), hn::Add(y, rest), y);
  };
#else  // a product of floats would be rounded before the sum
  const Doubles means = doubles(mean), high = doubles(factor), low = doubles(factor_rest),
                biases = doubles(bias);
  const Doubles factors{hn::Add(high.lower, low.lower), hn::Add(high.upper, low.upper)};
  return [=](V x) HWY_ATTR {
    const Doubles v = doubles(x);
    return floats({hn::MulAdd(hn::Sub(v.lower, means.lower), factors.lower, biases.lower),
                   hn::MulAdd(hn::Sub(v.upper, means.upper), factors.upper, biases.upper)});
  };
#endif
}

struct Pitches {
  std::size_t x, y;
};
HWY_INLINE Pitches pitches(const Standardization& s) { return {s.channels, s.channels}; }
HWY_INLINE Pitches pitches(const Normalization& s) { return {s.x_pitch, s.y_pitch}; }

/// A vector of the channels of each of `pixels` pixels, of which `left` count. All are read before
/// any is written: a load that waits for a store 4096 bytes away would not be rare.
template <int pixels, bool whole, class Terms, class F>
HWY_INLINE void transform_vector(const Terms& s, std::size_t c, const float* x,
                                 const float* residual, float* y, [[maybe_unused]] int left, F f) {
  const D d;
  const auto load = [=](const float* p) HWY_ATTR {
    if constexpr (whole) return hn::LoadU(d, p);
    else return load_first(p, left);
  };
  const Pitches pitch = pitches(s);
  const auto x_at = [&](int pixel) { return static_cast<std::size_t>(pixel) * pitch.x + c; };
  const auto y_at = [&](int pixel) { return static_cast<std::size_t>(pixel) * pitch.y + c; };
  const auto transformed = formula(s, c, load);
  V v[4];  // GCC 12 fails on an array of one vector
#pragma GCC unroll 4
  for (int i = 0; i < pixels; ++i) {
    v[i] = transformed(load(x + x_at(i)));
    if (residual) v[i] = hn::Add(v[i], load(residual + y_at(i)));
  }
#pragma GCC unroll 4
  for (int i = 0; i < pixels; ++i) {
    const V result = with_one_nan(f(v[i]));
    if constexpr (whole) hn::StoreU(result, d, y + y_at(i));
    else store_first(result, y + y_at(i), left);
  }
}
template <int pixels, class Terms, class F>
HWY_INLINE void transform_some(const Terms& s, const float* x, const float* residual, float* y,
                               F f) {
  std::size_t c = 0;
  for (; c + moment_lanes <= s.channels; c += moment_lanes)
    transform_vector<pixels, true>(s, c, x, residual, y, 0, f);
  if (c < s.channels)
    transform_vector<pixels, false>(s, c, x, residual, y, static_cast<int>(s.channels - c), f);
}

template <class Terms>
HWY_INLINE void transform_pixels(const Terms& s, const float* x, std::size_t pixels,
                                 const float* residual, float* y) {
  constexpr std::size_t together = 4;
  const auto each = [&](auto f) HWY_ATTR {
    const Pitches pitch = pitches(s);
    const auto from = [&](std::size_t i) { return residual ? residual + i * pitch.y : nullptr; };
    std::size_t i = 0;
    for (; i + together <= pixels; i += together)
      transform_some<together>(s, x + i * pitch.x, from(i), y + i * pitch.y, f);
    for (; i < pixels; ++i) transform_some<1>(s, x + i * pitch.x, from(i), y + i * pitch.y, f);
  };
  if (s.epilogue.activation == Activation::none) return each([](V v) HWY_ATTR { return v; });
  with_activation(s.epilogue, each);
}

void standardize_pixels(const Standardization& s, const float* x, std::size_t pixels,
                        const float* residual, float* y) {
  transform_pixels(s, x, pixels, residual, y);
}
void normalize_pixels(const Normalization& s, const float* x, std::size_t pixels,
                      const float* residual, float* y) {
  transform_pixels(s, x, pixels, residual, y);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(add_pixels);
HWY_EXPORT(standardize_pixels);
HWY_EXPORT(normalize_pixels);

void add_up(const float* x, std::size_t pixels, std::size_t channels, const float* origin,
            const Moments& to) {
  HWY_DYNAMIC_DISPATCH(add_pixels)(x, pixels, channels, origin, to);
}
void standardize(const Standardization& s, const float* x, std::size_t pixels,
                 const float* residual, float* y) {
  HWY_DYNAMIC_DISPATCH(standardize_pixels)(s, x, pixels, residual, y);
}
void normalize(const Normalization& s, const float* x, std::size_t pixels, const float* residual,
               float* y) {
  HWY_DYNAMIC_DISPATCH(normalize_pixels)(s, x, pixels, residual, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
