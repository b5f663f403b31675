// Float inputs of operators with quantized weights. The reference runtime quantizes them to 8 bits
// in every run, each part of the batch with its own scale, and multiplies integers. Private.
#pragma once

#include "src/formats/tflite/import/call.h"

namespace webnn::inline v0_1::tflite {

/// Whether inputs x and filter are such a pair, and the caller asks for what the runtime does.
bool is_hybrid(const Call& call, std::size_t x, std::size_t filter);

/// The elements of a filter without their scale, as floats.
MLOperand unscaled(const Call& call, std::size_t filter);

/// The elements, floats that are integers with zero at 0, and the scale of each index of the first
/// dimension: x is about integers * scale.
struct Quantized {
  MLOperand integers, scale;
};
/// Symmetric: from -127 to 127. Asymmetric: 255 steps from the smallest to the largest element.
Quantized quantized_in_run(const Call& call, const MLOperand& x, bool asymmetric);

/// y * scale of x * scales of the filter + bias, where y [batch, ..., channels] is the product of
/// the integers.
MLOperand rescaled(const Call& call, const MLOperand& y, const MLOperand& scale, std::size_t filter,
                   const std::optional<MLOperand>& bias);

}  // namespace webnn::inline v0_1::tflite
