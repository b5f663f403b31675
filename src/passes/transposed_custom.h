// Custom operators on operands whose dimensions are in another order.
#pragma once

#include "src/graph/op.h"

namespace webnn::inline v0_1 {

/// The operator, still with its operands, that gives its results in the order `permutation`, as
/// transpose() has it, when those of its operands that have the rank of the first result are so.
/// Nothing if it does not say one, or if what it says does not give these results.
std::optional<ops::custom> transposed_custom(const ops::custom& op,
                                             std::span<const MLOperand> results,
                                             const Dims& permutation);

}  // namespace webnn::inline v0_1
