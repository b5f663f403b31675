// A residual network of the depth and shapes of ResNet-50 (https://arxiv.org/abs/1512.03385).
#pragma once

#include "bench/networks/weights.h"

namespace webnn::inline v0_1::bench {

/// "input" [1, 3, height, width] (nchw) or [1, height, width, 3] (nhwc) -> logits [1, 1000].
MLOperand resnet50(MLGraphBuilder& builder, MLInputOperandLayout layout, std::uint32_t seed = 7,
                   const WeightSink& sink = {}, const MLDimension& height = 224,
                   const MLDimension& width = 224);

}  // namespace webnn::inline v0_1::bench
