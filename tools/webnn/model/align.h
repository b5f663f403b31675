// Which results of two graphs are to be compared.
#pragma once

#include "webnn/graph.h"

namespace webnn::inline v0_1::tool {

/// A result of each graph, of one data type and shape.
struct Pair {
  std::size_t node_a, node_b, output;
  bool same_constants = true;  ///< no constant that it depends on has other elements
};
/// Operators that compute the same thing: with the same attributes on operands that are the same,
/// back to the inputs of the graphs, which go by name, else by place. Then those that do except for
/// the elements of constants. What has no counterpart is left out. In the order of the first graph.
std::vector<Pair> align(const Graph& a, const Graph& b);

/// Aligns a float model and its quantized counterpart, which compute the same in other ways. Pairs
/// are operators with the same name, attributes and results, in the order of both graphs. They are
/// a longest common sequence.
std::vector<Pair> align_quantized(const Graph& a, const Graph& b);

/// By operand: whether a result can be looked at without changing which kernels run. Between
/// dequantizeLinear and quantizeLinear it cannot: integer kernels never have those values.
std::vector<bool> observable(const Graph& graph);

}  // namespace webnn::inline v0_1::tool
