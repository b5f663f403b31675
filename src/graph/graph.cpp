#include "src/graph/graph_data.h"
#include "src/graph/heap.h"

namespace webnn::inline v0_1 {

namespace {

/// Releases the constant of a record. Returns the bytes that are free then.
std::size_t release_constant(OwnedRecord& r) {
  if (!r.constant || !r.constant->is_copy() || !detail::Access::is_last(*r.constant)) return 0;
  const std::size_t bytes = r.constant->bytes().size();
  detail::Access::release(*r.constant);
  return bytes;
}

}  // namespace

GraphData::~GraphData() {
  std::size_t freed = 0;
  for (OwnedRecord& r : operands) freed += release_constant(r);
  trim_heap(freed);
}

MLOperand GraphData::add(OperandRecord record) {
  record.id = static_cast<std::uint32_t>(operands.size());
  const MLOperand x = borrowed(operands.push_back({std::move(record), this}));
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

using Operands = std::vector<const MLOperand*>;

/// The places of the operators that the outputs need, each after the producers of its operands.
/// The order follows from the outputs alone: calls nested in arguments, b.add(b.relu(x), b.neg(x)),
/// enter a builder in an order that every compiler chooses for itself.
std::vector<std::size_t> needed(const GraphData& from, const NamedOperands& outputs) {
  struct Frame {
    std::size_t place, first, next;  // its operands begin at `first`
  };
  std::vector<std::size_t> order;
  order.reserve(from.nodes.size());
  std::vector<bool> entered(from.nodes.size());
  std::vector<Frame> stack;
  Operands operands;  // those of all frames, the innermost last
  const auto enter = [&](const OperandRecord& r) {
    if (r.kind != OperandKind::result || entered[r.producer]) return;
    entered[r.producer] = true;
    const Op& op = from.nodes[r.producer].op;
    stack.push_back({r.producer, operands.size(), operands.size()});
    append_operands(op.kind(), op.get(), operands);
  };
  for (const auto& [name, x] : outputs) {
    enter(x.record());
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < operands.size()) {
        enter(operands[top.next++]->record());
      } else {
        order.push_back(top.place);
        operands.resize(top.first);
        stack.pop_back();
      }
    }
  }
  return order;
}

void operands_into(Operands& to, const Op& op) {
  to.clear();
  append_operands(op.kind(), op.get(), to);
}

}  // namespace

std::shared_ptr<const GraphData> copy(const GraphData& from, const NamedOperands& outputs,
                                      const Change& change, const NamedOperands& listed) {
  auto to = std::make_shared<GraphData>();
  to->folding_budget = from.folding_budget;
  to->derivation = from.derivation;
  to->dimensions = from.dimensions;
  to->typical = from.typical;
  to->relies_on_known_sizes = from.relies_on_known_sizes;
  to->requantization = from.requantization;
  std::vector<MLOperand> copies(from.operands.size());
  const auto places = needed(from, outputs);
  // A graph keeps its inputs, whether still needed or not.
  for (const auto& [name, x] : from.builder ? listed : from.inputs)
    copies[x.record().id] = to->add(x.record());
  Operands operands;
  for (auto kind : {OperandKind::input, OperandKind::constant})
    for (const std::size_t place : places) {
      operands_into(operands, from.nodes[place].op);
      for (const MLOperand* x : operands)
        if (x->record().kind == kind && !copies[x->record().id])
          copies[x->record().id] = to->add(x->record());
    }
  for (const auto& [name, x] : outputs)  // after passes an output may be a constant
    if (x.record().kind == OperandKind::constant && !copies[x.record().id])
      copies[x.record().id] = to->add(x.record());
  for (const std::size_t place : places) {
    const NodeData& node = from.nodes[place];
    Op op = node.op.clone();
    bool valid = node.valid;
    operands_into(operands, op);
    for (const MLOperand* x : operands) {
      const MLOperand& now = copies[x->record().id];
      valid = valid && are_alike(*x, now);
      *const_cast<MLOperand*>(x) = now;  // a member of `op`
    }
    std::vector<MLOperand> made;
    const bool kept = !change || (made = change(*to, op, node)).empty();
    if (kept) {
      std::vector<MLOperandDescriptor> results;
      results.reserve(node.outputs.size());
      for (const MLOperand& x : node.outputs) results.push_back(x.record().descriptor);
      made = to->append(std::move(op), std::move(results));
      to->nodes.back().valid = valid;
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
      const OperandRecord& old = node.outputs[i].record();
      copies[old.id] = made[i];
      if (kept && old.open) to->operands[made[i].record().id].open = old.open;
    }
  }
  for (const auto& [name, x] : outputs) to->outputs.push_back({name, copies[x.record().id]});
  return to;
}

std::shared_ptr<const GraphData> finished(std::shared_ptr<GraphData> graph,
                                          const NamedOperands& outputs) {
  const auto places = needed(*graph, outputs);
  std::vector<OwnedRecord*> records;
  records.reserve(graph->operands.size());
  std::vector<bool> there(graph->operands.size());
  const auto take = [&](const MLOperand& x) {
    const std::uint32_t id = x.record().id;
    if (!there[id]) records.push_back(&graph->operands[id]);
    there[id] = true;
  };
  for (const auto& [name, x] : graph->inputs) take(x);
  Operands operands;
  for (const std::size_t place : places) {
    operands_into(operands, graph->nodes[place].op);
    for (const MLOperand* x : operands)
      if (x->record().kind == OperandKind::constant) take(*x);
  }
  for (const auto& [name, x] : outputs)
    if (x.record().kind == OperandKind::constant) take(x);
  std::deque<NodeData> nodes;
  for (const std::size_t place : places) {
    NodeData& node = nodes.emplace_back(std::move(graph->nodes[place]));
    for (const MLOperand& y : node.outputs) {
      take(y);
      records.back()->producer = static_cast<std::uint32_t>(nodes.size() - 1);
    }
  }
  graph->nodes = std::move(nodes);
  graph->outputs.clear();
  for (const auto& [name, x] : outputs) graph->outputs.push_back({name, borrowed(x.record())});
  std::size_t freed = 0;
  graph->operands.arrange(std::move(records), [&](OwnedRecord& r) {
    freed += release_constant(r);
    r = OwnedRecord();
  });
  trim_heap(freed);
  return graph;
}

bool reads(const GraphData& graph, const NamedOperands& outputs,
           const std::unordered_set<const OperandRecord*>& operands) {
  for (const std::size_t place : needed(graph, outputs)) {
    const Op& op = graph.nodes[place].op;
    for (const MLOperand* operand : operands_of(op.kind(), op.get()))
      if (operands.contains(&operand->record())) return true;
  }
  return false;
}

std::string_view Node::name() const { return name_of_op(kind_, op_); }
std::string_view Node::label() const { return label_of_kind(kind_, op_); }
std::vector<MLOperand> Node::inputs() const {
  const std::vector<const MLOperand*> operands = operands_of(kind_, op_);
  std::vector<MLOperand> all;
  all.reserve(operands.size());
  for (const MLOperand* x : operands) all.push_back(owned(*x));
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
