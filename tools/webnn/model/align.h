// Which results of two graphs are to be compared.
#pragma once

#include "webnn/graph.h"

namespace webnn::inline v0_1::tool {

/// A result of each graph, of one data type and shape.
struct Pair {
  std::size_t node_a, node_b, output;
};
/// Operators that have the same name and results, in the order of both graphs: of graphs that are
/// alike all, else a longest common sequence.
std::vector<Pair> align(const Graph& a, const Graph& b);

/// By operand: whether a result can be looked at without changing which kernels run. Between
/// dequantizeLinear and quantizeLinear it cannot: integer kernels never have those values.
std::vector<bool> observable(const Graph& graph);

}  // namespace webnn::inline v0_1::tool
