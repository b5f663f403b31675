// Quantized operands of random graphs, and their scales and zero points.
#pragma once

#include "tests/random/images.h"

namespace webnn::inline v0_1::test {

/// How the elements of a quantized tensor are read.
struct Parameters {
  MLOperand scale{}, zero{};
};
Parameters parameters(Generator& g, MLOperandDataType type, MLOperandDataType floats,
                      const Dims& shape);
Interval scales(Generator& g);

MLOperand integers(Generator& g, MLOperandDataType type, const Dims& shape, bool constant);
MLOperand dequantized(Generator& g, const MLOperand& x, const Parameters& p);
MLOperand dequantized(Generator& g, const MLOperand& x, bool per_tensor = false);
MLOperand quantized(Generator& g, const MLOperand& x, MLOperandDataType type,
                    bool per_tensor = true);

MLOperandDataType small_type(Generator& g);
/// A quantized tensor that is there already, or a new one.
MLOperand quantized_operand(Generator& g, ops::Ranks ranks);
/// The constant weights of a product, per tensor or by the dimension of the results.
MLOperand weights(Generator& g, const Dims& shape, std::uint32_t axis);

}  // namespace webnn::inline v0_1::test
