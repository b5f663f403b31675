// Replaces operators whose operands are dequantized by the fused operator quantizedOperator: those
// whose result is quantized, and products and convolutions with constant weights.
#include "src/passes/passes.h"
#include "src/passes/quantized_operators.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

/// An operand, and the dequantizeLinear that makes it.
struct Dequantized {
  MLOperand x{};
  const ops::dequantizeLinear* op = nullptr;
  bool reshaped = false;
};

std::optional<Dequantized> dequantized(const Graph& graph, const MLOperand& x) {
  if (x.record().kind != OperandKind::result) return std::nullopt;
  Dequantized d{x};
  Node node = graph.producer_of(x);
  if (const auto* reshape = as<ops::reshape>(node)) {
    d.reshaped = true;
    if (reshape->input.record().kind != OperandKind::result) return std::nullopt;
    node = graph.producer_of(reshape->input);
  }
  d.op = as<ops::dequantizeLinear>(node);
  return d.op ? std::optional(d) : std::nullopt;
}

std::optional<MLOperand> quantized(const Graph& graph, const Node& node, Rewriter& to) {
  std::vector<Dequantized> all;
  std::vector<MLOperand> others;
  std::vector<std::pair<bool, std::size_t>> numbers;  // whether it is dequantized, in which place
  for (const MLOperand& x : node.inputs()) {
    if (x.constant()) {
      numbers.emplace_back(false, others.size());
      others.push_back(x);
      continue;
    }
    auto found = std::find_if(all.begin(), all.end(), [&](const auto& d) { return d.x.is(x); });
    if (found == all.end()) {
      const auto d = dequantized(graph, x);
      if (!d) return std::nullopt;
      found = all.insert(all.end(), *d);
    }
    numbers.emplace_back(true, static_cast<std::size_t>(found - all.begin()));
  }
  fused::quantizedOperator op{.inputs = {},
                              .form = fused::OperatorForm(node.kind(), node.op()),
                              .dataType = node.output().dataType(),
                              .requantization = data_of(graph).requantization,
                              .options = {.label = std::string(node.label())}};
  for (const Dequantized& d : all) {
    for (const MLOperand& x : {d.op->input, d.op->scale, d.op->zeroPoint})
      op.inputs.push_back(to(x));
    const Dims& shape = d.x.shape();
    op.shapes.emplace_back();
    if (d.reshaped) op.shapes.back().emplace(shape.begin(), shape.end());
  }
  for (const MLOperand& x : others) op.inputs.push_back(to(x));
  for (const auto& [is_dequantized, place] : numbers)
    op.operands.push_back(static_cast<std::uint32_t>(is_dequantized ? place : all.size() + place));
  return to.add(std::move(op), node.output().descriptor());
}

}  // namespace

Graph recognize_quantized_operators(const Graph& graph) {
  if (!has_any<ops::dequantizeLinear>(graph)) return graph;
  const QuantizedOperators operators(graph);
  return with_replaced(graph, [&](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
    const std::size_t i = node.output().record().producer;
    if (!operators.chain_around(i) && !operators.product_around(i)) return std::nullopt;
    return quantized(graph, node, to);
  });
}

}  // namespace webnn::inline v0_1
