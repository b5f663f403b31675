// What others need of a convolution.
#pragma once

#include "src/kernels/common/fused.h"
#include "src/kernels/simd/product/product.h"

namespace webnn::inline v0_1::simd {

/// The product that a 1x1 convolution of a chain computes, or why it is not one.
std::variant<Product, Refusal> pointwise_product(Chain chain, const Stage& stage);

}  // namespace webnn::inline v0_1::simd
