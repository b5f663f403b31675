// Dense convolutions of operands that are rounded to bfloat16.
#pragma once

#include <optional>

#include "src/kernels/common/convolution.h"
#include "src/kernels/simd/product/product.h"

namespace webnn::inline v0_1::simd {

/// The kernel of an nhwc convolution; none where float32 is likely as fast. `product`: the
/// convolution as a product of what each pixel of the result sees, with the filter [out][height]
/// [width][in].
std::optional<Candidate> bfloat16_conv2d(const Convolution& shape, const Product& product);

}  // namespace webnn::inline v0_1::simd
