// Element-wise operators on 8 bits as a table of 256 results.
#pragma once

#include <optional>

#include "webnn/graph.h"

namespace webnn::simd {

/// The results of a chain of element-wise operators for each of the 256 values of x, an operand of
/// 8 bits that it reads, in the order of the bits; each as an unsigned byte. All its other operands
/// are constants of one element. Nothing for other chains.
std::optional<std::vector<std::uint8_t>> lookup_table(std::span<const Node> chain,
                                                      const MLOperand& x);

}  // namespace webnn::simd
