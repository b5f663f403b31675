// Chains of a graph, and who takes them.
#pragma once

#include <vector>

#include "webnn/backend.h"

namespace webnn {

/// What runs a chain, and what the others said.
struct Choice {
  std::vector<Node> chain;
  Kernel kernel;
  std::string backend;
  std::vector<std::string> others;  ///< "onednn: only float32"
};

/// Whether a node's result lies in its operand's memory, so that nothing has to run: reshape,
/// identity, slices that are contiguous, transpositions that move no element.
struct Viewed {
  std::uint32_t operand;
  std::size_t offset;
};                                                         // bytes
std::vector<std::optional<Viewed>> views_of(const Node&);  // for each result; empty: not a view

/// Covers the graph with chains, in an order in which they can run; quantised operators first.
/// Views are left out, and every dequantizeLinear that only chains of quantised operators read.
/// `refused` gets the chains of quantised operators that nobody took, and why: "conv2d (onednn: not
/// an operator for oneDNN)". Throws OperationError, naming all of them, when nobody takes an
/// operator.
std::vector<Choice> choose(const Graph&, std::span<const std::shared_ptr<const Backend>>,
                           std::vector<std::string>* refused = nullptr);

/// The graph with the weights as floats of those quantised operators that nobody took, up to a
/// gigabyte of them; nothing when there are none.
std::optional<Graph> fold_refused(const Graph&, std::span<const Choice>);

}  // namespace webnn
