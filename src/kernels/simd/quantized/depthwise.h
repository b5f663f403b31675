// Depthwise convolutions of bytes.
#pragma once

#include "src/kernels/common/convolution.h"
#include "src/kernels/simd/quantized/weights.h"

namespace webnn::simd {

Lowering byte_depthwise_convolution(const Convolution& shape, const ByteWeights& weights,
                                    const QuantizedChain& c);

}  // namespace webnn::simd
