// Scales and zero points of ONNX in the shapes of WebNN. Private.
#pragma once

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

/// What a scale or a zero point of ONNX belongs to: the whole operand, an axis, or blocks of it.
struct Parameters {
  MLOperand scale, zero;
};

/// `x` has the elements that the scale is of. Zero points that are absent are 0 of type `type`.
/// `block` 0: one scale, or one for each place along the axis.
Parameters parameters_of(const Call&, const MLOperand& x, const MLOperand& scale,
                         const std::optional<MLOperand>& zero, MLOperandDataType type,
                         std::uint32_t axis, std::int64_t block = 0);

/// Operand i with scale i + 1 and zero point i + 2, as numbers.
MLOperand dequantized(Call&, std::size_t i, std::uint32_t axis);
/// A result with the scale and the zero point of inputs i and i + 1.
void put_quantized(Call&, const MLOperand& y, std::size_t i);

/// Once for all that quantize the same tensor.
Quantized quantized_by_range(Call&, const MLOperand& x);

/// A scale or a zero point of the blocks of an axis of that size: as it is where they divide it,
/// else one for each element.
MLOperand with_whole_blocks(const Call&, const MLOperand& v, std::uint32_t axis, std::uint32_t size,
                            std::int64_t block);

}  // namespace webnn::inline v0_1::onnx
