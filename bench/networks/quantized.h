// Networks for small devices with weights from a seeded stream, as 8-bit integers or as floats.
#pragma once

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::bench {

/// The form in which TensorFlow Lite has them: NHWC, each operator between dequantizeLinear and
/// quantizeLinear, weights int8 with a scale for each output channel, biases int32. The counterpart
/// in floats has the same weights and no quantizeLinear.
enum class Precision { int8, float32 };

/// MobileNet v1 (https://arxiv.org/abs/1704.04861): "x" [1, side, side, 3] -> [1, 1001].
MLOperand mobilenet_v1(MLGraphBuilder& b, Precision precision, float width, std::uint32_t side);
/// MobileNet v2 (https://arxiv.org/abs/1801.04381): "x" [1, 224, 224, 3] -> [1, 1000].
MLOperand quantized_mobilenet_v2(MLGraphBuilder& b, Precision precision);
/// ResNet-8 of MLPerf Tiny: "x" [1, 32, 32, 3] -> [1, 10].
MLOperand resnet_8(MLGraphBuilder& b, Precision precision);

}  // namespace webnn::inline v0_1::bench
