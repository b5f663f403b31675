// One operator run at once by the reference kernels: for constant folding.
#pragma once

#include <optional>

#include "webnn/graph.h"

namespace webnn {

/// The results of a node whose operands are all constants.
std::vector<Constant> evaluate(const Node& node);

/// The results of a chain of element-wise operators for each of the 256 values of x, an operand of
/// 8 bits that it reads, in the order of the bits; each as an unsigned byte. All its other operands
/// are constants of one element. Nothing for other chains.
std::optional<std::vector<std::uint8_t>> table_of(std::span<const Node> chain, const MLOperand& x);

}  // namespace webnn
