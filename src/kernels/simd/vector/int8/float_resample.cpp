#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/float_resample.cpp"
#include <algorithm>

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/integers-inl.h"
#include "src/kernels/simd/vector/int8/resample.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void blend_as_floats(const Int8FloatUnits&, const Int8FloatSamples&, float, float,
                     const std::uint8_t*, const std::uint8_t*, std::size_t, std::uint8_t*) {}
void blend_plane(const Int8FloatUnits&, const Int8FloatSamples&, float, float, const float* const*,
                 std::uint8_t*) {}

#else

void blend_as_floats(const Int8FloatUnits& g, const Int8FloatSamples& across, float near, float far,
                     const std::uint8_t* a, const std::uint8_t* b, std::size_t channels,
                     std::uint8_t* y) {
  const D d;
  const Output output(g.result);
  const VI zero = hn::Set(DI(), g.zero);
  const V x_scale = hn::Set(d, g.x_scale), scale = hn::Set(d, g.scale);
  const auto value = [&](const std::uint8_t* p, std::size_t left) HWY_ATTR {
    return hn::Mul(hn::ConvertTo(d, hn::Sub(load_ints(p, left, g.flip), zero)), x_scale);
  };
  for (std::size_t o = 0; o < across.size(); ++o, y += channels) {
    const std::size_t low = static_cast<std::size_t>(across.low[o]) * channels,
                      high = static_cast<std::size_t>(across.high[o]) * channels;
    const V w0 = hn::Set(d, across.near[o] * near), w1 = hn::Set(d, across.far[o] * near),
            w2 = hn::Set(d, across.near[o] * far), w3 = hn::Set(d, across.far[o] * far);
    for (std::size_t c = 0; c < channels; c += static_cast<std::size_t>(vector_lanes)) {
      const std::size_t left = channels - c;
      V sum = hn::Mul(w0, value(a + low + c, left));
      sum = hn::Add(sum, hn::Mul(w1, value(a + high + c, left)));
      sum = hn::Add(sum, hn::Mul(w2, value(b + low + c, left)));
      sum = hn::Add(sum, hn::Mul(w3, value(b + high + c, left)));
      output.store(nearest_integers(hn::Div(sum, scale)), y + c, left);
    }
  }
}

void blend_plane(const Int8FloatUnits& g, const Int8FloatSamples& across, float near, float far,
                 const float* const* from, std::uint8_t* y) {
  const D d;
  const Output output(g.result);
  const V row_near = hn::Set(d, near), row_far = hn::Set(d, far), scale = hn::Set(d, g.scale);
  for (std::size_t o = 0; o < across.size(); o += static_cast<std::size_t>(vector_lanes)) {
    const std::size_t left = across.size() - o;
    const auto at = [&](const float* p) HWY_ATTR {
      return load_some(p + o, static_cast<int>(std::min<std::size_t>(left, vector_lanes)));
    };
    const V w_near = at(across.near.data()), w_far = at(across.far.data());
    V sum = hn::Mul(hn::Mul(w_near, row_near), at(from[0]));
    sum = hn::Add(sum, hn::Mul(hn::Mul(w_far, row_near), at(from[1])));
    sum = hn::Add(sum, hn::Mul(hn::Mul(w_near, row_far), at(from[2])));
    sum = hn::Add(sum, hn::Mul(hn::Mul(w_far, row_far), at(from[3])));
    output.store(nearest_integers(hn::Div(sum, scale)), y + o, left);
  }
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(blend_as_floats);
HWY_EXPORT(blend_plane);
void int8_float_blend(const Int8FloatUnits& units, const Int8FloatSamples& across, float near,
                      float far, const std::uint8_t* a, const std::uint8_t* b, std::size_t channels,
                      std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(blend_as_floats)(units, across, near, far, a, b, channels, y);
}
void int8_float_blend_plane(const Int8FloatUnits& units, const Int8FloatSamples& across, float near,
                            float far, const float* const* from, std::uint8_t* y) {
  HWY_DYNAMIC_DISPATCH(blend_plane)(units, across, near, far, from, y);
}
}  // namespace webnn::inline v0_1::simd
#endif
