// Operators on constants alone become constants, unless that makes the graph much larger. The
// weights of quantized operators stay as they are: a backend may compute with them.
#include <algorithm>

#include "src/kernels/reference/evaluate.h"
#include "src/passes/passes.h"
#include "src/passes/quantized_operators.h"
#include "src/passes/rewriter.h"

namespace webnn {
namespace {

constexpr std::uint64_t small = 1 << 20;  // bytes: below that, growing does not matter

bool folds(const Node& node) {
  const auto inputs = node.inputs();
  std::uint64_t in = 0, out = 0;
  for (const MLOperand& x : inputs) {
    if (x.record().kind != OperandKind::constant) return false;
    in += byte_length(x.descriptor());
  }
  for (const MLOperand& y : node.outputs()) out += byte_length(y.descriptor());
  return !inputs.empty() && out <= std::max(2 * in, small);
}

/// By operand: the dequantized weights of a quantized operator.
std::vector<bool> quantized_weights(const Graph& graph) {
  const QuantizedOperators quantized(graph);
  std::vector<bool> weights(graph.operand_count());
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (const auto places = quantized.chain_around(i))
      for (std::size_t k : *places)
        if (dequantizes_constants(graph.node(k)))
          weights[graph.node(k).output().record().id] = true;
  return weights;
}

}  // namespace

Graph fold_constants(const Graph& graph) {
  const std::vector<bool> kept = quantized_weights(graph);
  const auto change = [&](GraphData& to, const Op& copied, const NodeData& original) {
    // The copied operator, with constants that were folded just before, as a node of its own.
    std::vector<MLOperand> results = original.outputs;
    const Node node(copied.kind(), copied.get(), results);
    if (results.size() != 1 || kept[results.front().record().id] || !folds(node))
      return MLOperand();
    return to.add({.descriptor = results.front().descriptor(),
                   .kind = OperandKind::constant,
                   .constant = evaluate(node).front()});
  };
  return Graph(copy(graph.data(), graph.outputs(), change));
}

}  // namespace webnn
