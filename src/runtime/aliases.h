// Results that lie in the memory of an operand.
#pragma once

#include <optional>
#include <vector>

#include "webnn/graph.h"

namespace webnn::inline v0_1 {

/// Where in the memory of an operand a result lies.
struct Alias {
  std::uint32_t operand;  ///< its id
  std::size_t offset;     ///< bytes
};

/// For each result of a node whose results lie in an operand's memory, so that nothing has to run:
/// reshape, identity, slices that are contiguous, transpositions that move no element. Empty for
/// other nodes.
std::vector<std::optional<Alias>> aliases_of(const Node&);

/// For each node: whether its result is an output of the graph that is all of another result, which
/// then is computed in the memory of the output, so that nothing has to run for this node. The
/// other result is not an output itself, and the first of several such nodes has it.
std::vector<bool> computed_in_outputs(const Graph&);

}  // namespace webnn::inline v0_1
