// Pooling over NHWC images.
#pragma once

#include <cstddef>

namespace webnn::simd {

/// The mean over `pixels` neighbouring pixels of the channels [first, last).
void average(const float* x, std::size_t pixels, std::size_t channels, std::size_t first,
             std::size_t last, float* y);

}  // namespace webnn::simd
