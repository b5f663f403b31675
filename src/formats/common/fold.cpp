// Values that follow from constants alone: shapes that a model computes.
#include "src/formats/common/fold.h"

#include "src/builder/builder_state.h"
#include "src/kernels/reference/evaluate.h"

namespace webnn::inline v0_1::formats {
namespace {

constexpr std::size_t max_nodes = 256;

bool small(const MLOperand& x) { return !x.is_open() && element_count(x.shape()) <= max_folded; }

/// The operators that x follows from, each after those it reads; nothing when one of them reads
/// something that is not constant or not small.
std::optional<std::vector<const NodeData*>> sources(const GraphData& data, const MLOperand& x) {
  std::vector<const NodeData*> order;
  struct Frame {
    const NodeData* node;
    std::vector<const MLOperand*> operands;
    std::size_t next = 0;
  };
  std::vector<Frame> stack;
  const auto enter = [&](const MLOperand& y) {
    if (!small(y) || y.record().kind == OperandKind::input) return false;
    if (y.record().kind == OperandKind::constant) return true;
    const NodeData* node = &data.nodes[y.record().producer];
    for (const NodeData* done : order)
      if (done == node) return true;
    if (order.size() + stack.size() >= max_nodes) return false;
    stack.push_back({node, operands_of(node->op.kind(), node->op.get())});
    return true;
  };
  if (!enter(x)) return std::nullopt;
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next < top.operands.size()) {
      if (!enter(*top.operands[top.next++])) return std::nullopt;
    } else {
      order.push_back(top.node);
      stack.pop_back();
    }
  }
  return order;
}

}  // namespace

std::optional<MLOperand> folded(const MLOperand& x, MLGraphBuilder& builder) {
  if (x.constant()) return x;
  const GraphData& data = detail::state_of(builder)->data;
  const auto order = sources(data, x);
  if (!order) return std::nullopt;
  for (const NodeData* node : *order)
    if (!can_evaluate(Node(node->op.kind(), node->op.get(), node->outputs))) return std::nullopt;
  GraphData scratch;
  std::vector<std::pair<const OperandRecord*, MLOperand>> known;
  const auto find = [&](const MLOperand& y) {
    for (const auto& [record, constant] : known)
      if (record == &y.record()) return constant;
    return y;
  };
  for (const NodeData* node : *order) {
    Op op = node->op.clone();
    for (MLOperand* operand : op.operands()) *operand = find(*operand);
    const std::vector<MLOperand>& outputs = node->outputs;
    const auto values = evaluate(Node(op.kind(), op.get(), outputs));
    for (std::size_t i = 0; i < outputs.size(); ++i)
      known.emplace_back(&outputs[i].record(), scratch.add({.descriptor = outputs[i].descriptor(),
                                                            .kind = OperandKind::constant,
                                                            .constant = values[i]}));
  }
  const MLOperand result = find(x);
  return builder.constant(result.descriptor(), *result.constant());
}

}  // namespace webnn::inline v0_1::formats
