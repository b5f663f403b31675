#include "tools/webnn/model/pieces.h"

#include "src/graph/graph_data.h"

namespace webnn::inline v0_1::tool {

Piece piece_of(const Graph& graph, const MLOperand& result, const std::vector<bool>& cut) {
  const auto& nodes = data_of(graph).nodes;
  std::vector<bool> needed(nodes.size());
  std::vector<std::size_t> open{result.record().producer};
  needed[open.front()] = true;
  while (!open.empty()) {
    const Node node = graph.node(open.back());
    open.pop_back();
    for (const MLOperand& x : node.inputs()) {
      const OperandRecord& r = x.record();
      if (r.kind != OperandKind::result || cut[r.id] || needed[r.producer]) continue;
      needed[r.producer] = true;
      open.push_back(r.producer);
    }
  }
  std::vector<MLOperand> inputs;
  const auto data = std::make_shared<GraphData>();
  std::vector<MLOperand> now(graph.operand_count());
  const auto operand = [&](const MLOperand& old) {
    MLOperand& x = now[old.record().id];
    if (x) return x;
    if (old.record().kind == OperandKind::constant) return x = data->add(old.record());
    inputs.push_back(old);
    x = data->add({.descriptor = old.descriptor(),
                   .kind = OperandKind::input,
                   .name = "x" + std::to_string(inputs.size() - 1)});
    return x;
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!needed[i]) continue;
    Op op = nodes[i].op.clone();
    for (MLOperand* x : op.operands()) *x = operand(*x);
    std::vector<MLOperandDescriptor> results;
    for (const MLOperand& y : nodes[i].outputs) results.push_back(y.descriptor());
    const std::vector<MLOperand> made = data->add(std::move(op), results);
    for (std::size_t k = 0; k < made.size(); ++k) {
      const MLOperand& old = nodes[i].outputs[k];
      // Others read what the whole graph has there; the result itself is what is computed here.
      if (!cut[old.record().id] || old.is(result)) now[old.record().id] = made[k];
    }
  }
  return {graph_of(copy(*data, {{"y", now[result.record().id]}})), std::move(inputs)};
}

}  // namespace webnn::inline v0_1::tool
