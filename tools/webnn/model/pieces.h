// A graph cut into pieces, each of which can be run by itself.
#pragma once

#include "webnn/graph.h"

namespace webnn::inline v0_1::tool {

struct Piece {
  Graph graph;  ///< one output, "y"
  /// Operands of the whole graph: those of the piece, named "x0", "x1", ...
  std::vector<MLOperand> inputs{};
};

/// The operators between the operands at which the graph is cut, by id, and a result. The inputs of
/// the graph are always cut; `cut` may say so of the result too.
Piece piece_of(const Graph& graph, const MLOperand& result, const std::vector<bool>& cut);

}  // namespace webnn::inline v0_1::tool
