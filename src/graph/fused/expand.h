// Graphs in which fused operators have become their compositions.
#pragma once

#include "src/graph/graph_data.h"

namespace webnn::inline v0_1 {

bool has_fused(const Graph& graph);

struct Expansion {
  Graph graph;
  /// By operator of the graph before: where `graph` has it, or its composition in its order. Empty
  /// for a graph without fused operators, which stays as it is.
  std::vector<std::vector<std::size_t>> places{};
};
/// Adds the composition of a fused operator whose operands belong to any graph.
void compose(GraphData& to, const Op& fused);

/// All fused operators become their compositions.
Expansion expand(const Graph& graph);
/// Those at `places` do.
Expansion expand(const Graph& graph, std::span<const std::size_t> places);

}  // namespace webnn::inline v0_1
