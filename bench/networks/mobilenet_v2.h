// MobileNetV2 (https://arxiv.org/abs/1801.04381) with weights from a seeded stream.
#pragma once

#include "bench/networks/weights.h"

namespace webnn::inline v0_1::bench {

/// "input" float32 [1, 3, height, width] (nchw) or [1, height, width, 3] (nhwc) -> logits [1,
/// 1000].
MLOperand mobilenet_v2(MLGraphBuilder& builder, MLInputOperandLayout layout, std::uint32_t seed = 7,
                       const WeightSink& sink = {}, const MLDimension& height = 224,
                       const MLDimension& width = 224);

/// Multiplications with addition of one run on an image of 224 x 224.
inline constexpr double mobilenet_v2_macs = 300.8e6;

}  // namespace webnn::inline v0_1::bench
