// MobileNetV2 (https://arxiv.org/abs/1801.04381) with weights from a seeded stream.
#pragma once

#include "bench/networks/weights.h"

namespace webnn::inline v0_1::bench {

/// "input" float32 [1, 3, 224, 224] (nchw) or [1, 224, 224, 3] (nhwc) -> logits [1, 1000].
MLOperand mobilenet_v2(MLGraphBuilder& builder, MLInputOperandLayout layout, std::uint32_t seed = 7,
                       const WeightSink& sink = {});

/// Multiplications with addition of one run.
inline constexpr double mobilenet_v2_macs = 300.8e6;

}  // namespace webnn::inline v0_1::bench
