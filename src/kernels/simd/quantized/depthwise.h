// Depthwise convolutions of bytes.
#pragma once

#include "src/kernels/common/convolution.h"
#include "src/kernels/simd/quantized/weights.h"
#include "src/kernels/simd/vector/int8/dot_product.h"

namespace webnn::inline v0_1::simd {

Lowering int8_depthwise_convolution(const Convolution& shape, const Int8Weights& weights,
                                    const QuantizedChain& c, Int8DotProduct dot_product);

}  // namespace webnn::inline v0_1::simd
