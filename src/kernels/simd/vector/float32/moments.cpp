#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/moments.cpp"
#include "src/kernels/simd/vector/float32/moments.h"

#include <hwy/foreach_target.h>

#include <algorithm>

#include "src/kernels/simd/vector/float32/epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::simd::HWY_NAMESPACE {

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

/// `pixels` pixels of a vector of channels, of which `left` count.
template <bool whole, class F>
HWY_INLINE void standardize_vector(const Standardization& s, std::size_t c, const float* x,
                                   std::size_t pixels, const float* residual, float* y,
                                   [[maybe_unused]] int left, F f) {
  const D d;
  const auto load = [=](const float* p) HWY_ATTR {
    if constexpr (whole) return hn::LoadU(d, p);
    else return load_first(p, left);
  };
  const V mean = load(s.mean + c), rest = load(s.mean_rest + c), factor = load(s.factor + c),
          bias = load(s.bias + c);
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::size_t at = i * s.channels + c;
    V v = hn::MulAdd(hn::Sub(hn::Sub(load(x + at), mean), rest), factor, bias);
    if (residual) v = hn::Add(v, load(residual + at));
    if constexpr (whole) hn::StoreU(f(v), d, y + at);
    else store_first(f(v), y + at, left);
  }
}

void standardize_pixels(const Standardization& s, const float* x, std::size_t pixels,
                        const float* residual, float* y) {
  const std::size_t step = pixels_at_once(s.channels);
  const auto each = [&](auto f) HWY_ATTR {
    for (std::size_t i = 0; i < pixels; i += step) {
      const std::size_t n = std::min(step, pixels - i), at = i * s.channels;
      const float* added = residual ? residual + at : nullptr;
      std::size_t c = 0;
      for (; c + moment_lanes <= s.channels; c += moment_lanes)
        standardize_vector<true>(s, c, x + at, n, added, y + at, 0, f);
      if (c < s.channels)
        standardize_vector<false>(s, c, x + at, n, added, y + at, static_cast<int>(s.channels - c),
                                  f);
    }
  };
  if (s.epilogue.activation == Activation::none) return each([](V v) HWY_ATTR { return v; });
  with_activation(s.epilogue, each);
}

}  // namespace webnn::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::simd {
HWY_EXPORT(add_pixels);
HWY_EXPORT(standardize_pixels);

void add_up(const float* x, std::size_t pixels, std::size_t channels, const float* origin,
            const Moments& to) {
  HWY_DYNAMIC_DISPATCH(add_pixels)(x, pixels, channels, origin, to);
}
void standardize(const Standardization& s, const float* x, std::size_t pixels,
                 const float* residual, float* y) {
  HWY_DYNAMIC_DISPATCH(standardize_pixels)(s, x, pixels, residual, y);
}
}  // namespace webnn::simd
#endif
