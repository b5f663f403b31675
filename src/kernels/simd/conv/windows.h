// A dense convolution as a product whose rows are what each pixel of the result sees.
#pragma once

#include "src/kernels/common/convolution.h"
#include "src/kernels/simd/product/product.h"

namespace webnn::inline v0_1::simd {

/// Rows of an nhwc convolution without groups, with zeros for the padding: for each part of so many
/// channels, kernel_height x kernel_width x these channels.
GatheredRows gathered_windows(const Convolution& shape, std::size_t channels_of_part);

}  // namespace webnn::inline v0_1::simd
