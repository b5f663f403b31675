// An encoder and a decoder with connections between them (https://arxiv.org/abs/1505.04597).
#pragma once

#include "bench/networks/weights.h"

namespace webnn::inline v0_1::bench {

/// Two 3x3 convolutions on each of five levels, of 32 to 512 channels; down by maximum pooling, up
/// by transposed convolutions of 2x2 and stride 2. "input" [1, 3, height,
/// width] (nchw) or [1, height, width, 3] (nhwc), multiples of 16 -> two maps of height x width in
/// the same layout.
MLOperand unet(MLGraphBuilder& builder, MLInputOperandLayout layout, std::uint32_t seed = 7,
               const WeightSink& sink = {}, const MLDimension& height = 128,
               const MLDimension& width = 128);

}  // namespace webnn::inline v0_1::bench
