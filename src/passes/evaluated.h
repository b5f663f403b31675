// The result of an operator on constants, as a constant that follows from them.
#pragma once

#include "src/graph/derived_constants.h"

namespace webnn::inline v0_1 {

/// The only result of an operator whose operands are these constants, in their order. `graph`: for
/// derived().
Constant evaluated(const GraphData& graph, const NodeData& node,
                   std::span<const Constant> operands);

}  // namespace webnn::inline v0_1
