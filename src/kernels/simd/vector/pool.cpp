#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/pool.cpp"
#include "src/kernels/simd/vector/pool.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::simd::HWY_NAMESPACE {

void average_channels(const float* x, std::size_t pixels, std::size_t channels, std::size_t first,
                      std::size_t last, float* y) {
  const D d;
  const V count = hn::Set(d, static_cast<float>(pixels));
  for (std::size_t c = first; c < last; c += static_cast<std::size_t>(vector_lanes)) {
    const int left = static_cast<int>(std::min(last - c, static_cast<std::size_t>(vector_lanes)));
    V sum = hn::Zero(d);
    for (std::size_t p = 0; p < pixels; ++p)
      sum = hn::Add(sum, load_some(x + p * channels + c, left));
    store_some(hn::Div(sum, count), y + c, left);
  }
}

}  // namespace webnn::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::simd {
HWY_EXPORT(average_channels);
void average(const float* x, std::size_t pixels, std::size_t channels, std::size_t first,
             std::size_t last, float* y) {
  HWY_DYNAMIC_DISPATCH(average_channels)(x, pixels, channels, first, last, y);
}
}  // namespace webnn::simd
#endif
