// A chain whose first operator, a fused one, has become its composition.
#pragma once

#include "src/graph/fused/operators.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1 {

struct ComposedChain {
  std::shared_ptr<const GraphData> data;  ///< what the nodes refer to besides their operands
  std::vector<Node> nodes{};
};
/// The composition reads the operands of the fused operator, whose only result is its own; its
/// operators need not read the one before them. inputs_of() the nodes are inputs_of() the chain if
/// the fused operator is a quantizedOperator.
ComposedChain composed(Chain chain);

}  // namespace webnn::inline v0_1
