// The results of element-wise operators on 8 bits, by the reference kernels.
#pragma once

#include <optional>

#include "webnn/backend.h"

namespace webnn::simd {

/// The operators of such chains: element-wise functions, and changes of type and shape.
using TableOps =
    ops::Join<ops::UnarySection::Operators, ops::BinarySection::Operators,
              ops::OpList<ops::clamp, ops::dequantizeLinear, ops::elu, ops::gelu, ops::hardSigmoid,
                          ops::hardSwish, ops::leakyRelu, ops::linear, ops::prelu,
                          ops::quantizeLinear, ops::relu, ops::reshape, ops::sigmoid, ops::softplus,
                          ops::softsign, ops::tanh>>::type;

/// The results of a chain of element-wise operators for each of the 256 values of x, its only
/// operand of 8 bits that is not constant, by its bits; each as an unsigned byte. All its other
/// operands are constants of one element. Nothing for other chains.
std::optional<std::vector<std::uint8_t>> exact_table(Chain chain, const MLOperand& x);

}  // namespace webnn::simd
