#include "src/graph/graph_data.h"
#include "src/graph/heap.h"

namespace webnn::inline v0_1 {

GraphData::~GraphData() {
  std::size_t freed = 0;
  for (OwnedRecord& r : operands)
    if (r.constant && r.constant->is_copy() && detail::Access::is_last(*r.constant)) {
      freed += r.constant->bytes().size();
      detail::Access::release(*r.constant);
    }
  trim_heap(freed);
}

MLOperand GraphData::add(OperandRecord record) {
  record.id = static_cast<std::uint32_t>(operands.size());
  operands.push_back({std::move(record), this});
  const MLOperand x = borrowed(operands.back());
  if (x.record().kind == OperandKind::input) inputs.push_back({x.record().name, x});
  return x;
}

std::vector<MLOperand> GraphData::add(Op op, const std::vector<MLOperandDescriptor>& results) {
  for (MLOperand* x : op.operands())  // one that owns its graph would keep this one for ever
    if (*x) *x = borrowed(x->record());
  return append(std::move(op), results);
}

const std::vector<MLOperand>& GraphData::append(Op op, std::vector<MLOperandDescriptor> results) {
  NodeData& node = nodes.emplace_back(NodeData{std::move(op), {}});
  node.outputs.reserve(results.size());
  for (std::uint32_t i = 0; i < results.size(); ++i)
    node.outputs.push_back(add({.descriptor = std::move(results[i]),
                                .producer = static_cast<std::uint32_t>(nodes.size() - 1),
                                .output = i}));
  return node.outputs;
}

namespace {

/// The operators that the outputs need, each after the producers of its operands. The order
/// follows from the outputs alone: calls nested in arguments, b.add(b.relu(x), b.neg(x)), enter a
/// builder in an order that every compiler chooses for itself.
std::vector<const NodeData*> needed(const GraphData& from, const NamedOperands& outputs) {
  struct Frame {
    const NodeData* node;
    std::vector<const MLOperand*> operands;
    std::size_t next = 0;
  };
  std::vector<const NodeData*> order;
  std::vector<bool> entered(from.nodes.size());
  std::vector<Frame> stack;
  const auto enter = [&](const OperandRecord& r) {
    if (r.kind != OperandKind::result || entered[r.producer]) return;
    entered[r.producer] = true;
    const NodeData& node = from.nodes[r.producer];
    stack.push_back({&node, operands_of(node.op.kind(), node.op.get())});
  };
  for (const auto& [name, x] : outputs) {
    enter(x.record());
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.operands.size()) {
        enter(top.operands[top.next++]->record());
      } else {
        order.push_back(top.node);
        stack.pop_back();
      }
    }
  }
  return order;
}

Op op_of(const NodeData& node) { return node.op.clone(); }
Op op_of(NodeData& node) { return std::move(node.op); }

/// `From`: GraphData, whose operators are moved, or const.
template <class From>
std::shared_ptr<const GraphData> copied(From& from, const NamedOperands& outputs,
                                        const Change& change, const NamedOperands& listed) {
  auto to = std::make_shared<GraphData>();
  to->folding_budget = from.folding_budget;
  to->derivation = from.derivation;
  to->dimensions = from.dimensions;
  to->typical = from.typical;
  to->relies_on_known_sizes = from.relies_on_known_sizes;
  to->requantization = from.requantization;
  std::vector<MLOperand> copies(from.operands.size());
  const auto nodes = needed(from, outputs);
  // A graph keeps its inputs, whether still needed or not.
  for (const auto& [name, x] : from.builder ? listed : from.inputs)
    copies[x.record().id] = to->add(x.record());
  for (auto kind : {OperandKind::input, OperandKind::constant})
    for (const NodeData* node : nodes)
      for (const MLOperand* x : operands_of(node->op.kind(), node->op.get()))
        if (x->record().kind == kind && !copies[x->record().id])
          copies[x->record().id] = to->add(x->record());
  for (const auto& [name, x] : outputs)  // after passes an output may be a constant
    if (x.record().kind == OperandKind::constant && !copies[x.record().id])
      copies[x.record().id] = to->add(x.record());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const NodeData* node = nodes[n];
    const std::size_t place = node->outputs.front().record().producer;
    Op op = op_of(from.nodes[place]);
    for (MLOperand* x : op.operands()) *x = copies[x->record().id];
    std::vector<MLOperand> made;
    const bool kept = !change || (made = change(*to, op, *node)).empty();
    if (kept) {
      std::vector<MLOperandDescriptor> results;
      results.reserve(node->outputs.size());
      for (const MLOperand& x : node->outputs) results.push_back(x.record().descriptor);
      made = to->append(std::move(op), std::move(results));
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
      const OperandRecord& old = node->outputs[i].record();
      copies[old.id] = made[i];
      if (kept && old.open) to->operands[made[i].record().id].open = old.open;
    }
  }
  for (const auto& [name, x] : outputs) to->outputs.push_back({name, copies[x.record().id]});
  return to;
}

}  // namespace

std::shared_ptr<const GraphData> copy(const GraphData& from, const NamedOperands& outputs,
                                      const Change& change, const NamedOperands& listed) {
  return copied(from, outputs, change, listed);
}
std::shared_ptr<const GraphData> moved(GraphData&& from, const NamedOperands& outputs) {
  return copied(from, outputs, {}, {});
}

bool reads(const GraphData& graph, const NamedOperands& outputs,
           const std::unordered_set<const OperandRecord*>& operands) {
  for (const NodeData* node : needed(graph, outputs))
    for (const MLOperand* operand : operands_of(node->op.kind(), node->op.get()))
      if (operands.contains(&operand->record())) return true;
  return false;
}

std::string_view Node::name() const { return name_of_kind(kind_); }
std::string_view Node::label() const { return label_of_kind(kind_, op_); }
std::vector<MLOperand> Node::inputs() const {
  std::vector<MLOperand> all;
  for (const MLOperand* x : operands_of(kind_, op_)) all.push_back(owned(*x));
  return all;
}
MLOperand Node::owned(const MLOperand& x) const { return graph_ ? webnn::owned(graph_, x) : x; }

std::size_t Graph::size() const { return state_->nodes.size(); }
Node Graph::node(std::size_t i) const {
  const NodeData& n = state_->nodes.at(i);
  return {n.op.kind(), n.op.get(), n.outputs, state_};
}
std::size_t Graph::operand_count() const { return state_->operands.size(); }
MLOperand Graph::operand(std::size_t id) const {
  return webnn::owned(state_, borrowed(state_->operands.at(id)));
}
const NamedOperands& Graph::inputs() const& { return state_->inputs; }
const NamedOperands& Graph::outputs() const& { return state_->outputs; }
NamedOperands Graph::inputs() const&& { return owned(state_->inputs); }
NamedOperands Graph::outputs() const&& { return owned(state_->outputs); }
NamedOperands Graph::owned(const NamedOperands& operands) const {
  NamedOperands all;
  for (const auto& [name, x] : operands) all.push_back({name, webnn::owned(state_, x)});
  return all;
}

}  // namespace webnn::inline v0_1
