// The bias of convolutions and products. Private.
#pragma once

#include "src/formats/tflite/import/call.h"

namespace webnn::inline v0_1::tflite {

/// Input i as [channels] numbers; nothing when it is absent. That of a quantized operator is int32
/// (or int64, which becomes int32) whose scale is the product of those of inputs x and filter.
std::optional<MLOperand> bias_of(const Call& call, std::size_t i, std::size_t x, std::size_t filter,
                                 std::uint32_t channels);

}  // namespace webnn::inline v0_1::tflite
