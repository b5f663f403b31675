// An encoder and a decoder with connections between them (https://arxiv.org/abs/1505.04597).
#pragma once

#include "bench/networks/weights.h"

namespace webnn::inline v0_1::bench {

/// Two 3x3 convolutions on each of five levels, of 32 to 512 channels; down by maximum pooling, up
/// by transposed convolutions of 2x2 and stride 2. "input" [1, 3, 128, 128] (nchw) or
/// [1, 128, 128, 3] (nhwc) -> two maps of 128x128 in the same layout.
MLOperand unet(MLGraphBuilder& builder, MLInputOperandLayout layout, std::uint32_t seed = 7,
               const WeightSink& sink = {});

}  // namespace webnn::inline v0_1::bench
