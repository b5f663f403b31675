#include "src/builder/subgraph_recorder.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "src/builder/builder_state.h"
#include "src/graph/cost.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1 {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

/// One subgraph under construction.
class Body {
 public:
  Body(const std::vector<MLOperand>& parameters, const std::vector<MLOperand>& shared) {
    for (const auto* list : {&parameters, &shared})
      for (const MLOperand& x : *list)
        copies_[x.record().id] =
            graph_->add({.descriptor = x.record().descriptor, .kind = OperandKind::input});
  }
  void add(const NodeData& node) {
    Op op = node.op.clone();
    for (MLOperand* x : op.operands()) *x = copies_.at(x->record().id);
    std::vector<MLOperandDescriptor> results;
    for (const MLOperand& y : node.outputs) results.push_back(y.record().descriptor);
    const std::vector<MLOperand> made = graph_->add(std::move(op), results);
    for (std::size_t i = 0; i < made.size(); ++i) copies_[node.outputs[i].record().id] = made[i];
  }
  void add_output(const MLOperand& y) {
    graph_->outputs.push_back({"", copies_.at(y.record().id)});
  }
  std::shared_ptr<const GraphData> graph() const { return graph_; }

 private:
  std::shared_ptr<GraphData> graph_ = std::make_shared<GraphData>();
  std::unordered_map<std::uint32_t, MLOperand> copies_{};  // by id
};

}  // namespace

SubgraphRecorder::SubgraphRecorder(MLGraphBuilder& b) : b_(b) { state(b.constant(int64, 0)); }

MLOperand SubgraphRecorder::state(const MLOperand& initial) {
  return parameters_.emplace_back(b_.custom(operators::parameter(), {initial}).front());
}

void SubgraphRecorder::begin() {
  const Lock lock(detail::state_of(b_)->mutex);
  begin_ = detail::state_of(b_)->data.nodes.size();
}

void SubgraphRecorder::end(std::vector<MLOperand> outputs) {
  const Lock lock(detail::state_of(b_)->mutex);
  Part& part = parts_.emplace_back(Part{begin_, std::move(outputs)});
  find_nodes(part);
}

void SubgraphRecorder::find_nodes(Part& part) const {
  const GraphData& data = detail::state_of(b_)->data;
  std::vector<bool> needed(data.nodes.size());
  const auto need = [&](const MLOperand& x) {
    if (x.record().kind == OperandKind::result) needed[x.record().producer] = true;
  };
  for (const MLOperand& y : part.outputs) need(y);
  for (std::size_t i = data.nodes.size(); i-- > part.begin;) {
    if (!needed[i]) continue;
    for (const MLOperand* x : operands_of(data.nodes[i].op.kind(), data.nodes[i].op.get()))
      need(*x);
    part.nodes.push_back(i);
  }
  std::ranges::reverse(part.nodes);
}

std::size_t SubgraphRecorder::size() const { return parts_.back().nodes.size(); }

double SubgraphRecorder::operations() const {
  const Lock lock(detail::state_of(b_)->mutex);
  double sum = 0;
  for (const std::size_t i : parts_.back().nodes) {
    const NodeData& data = detail::state_of(b_)->data.nodes[i];
    const Node node(data.op.kind(), data.op.get(), data.outputs);
    const auto is_open = [](const MLOperand& x) { return x.is_open(); };
    if (std::ranges::any_of(node.inputs(), is_open) || std::ranges::any_of(data.outputs, is_open))
      return 0;
    if (operators::control_form(node)) return std::numeric_limits<double>::infinity();
    sum += cost_of(node).operations;
  }
  return sum;
}

Result<SubgraphRecorder::Recorded> SubgraphRecorder::take(bool has_condition) const {
  const Lock lock(detail::state_of(b_)->mutex);
  const GraphData& data = detail::state_of(b_)->data;
  Recorded made;
  std::vector<bool> known(data.operands.size());  // a parameter, or shared
  for (const MLOperand& x : parameters_) known[x.record().id] = true;
  bool open = false;
  for (const Part& part : parts_) {
    std::vector<bool> inside(data.operands.size());
    const auto use = [&](const MLOperand& x) {
      open = open || x.is_open();
      if (inside[x.record().id] || known[x.record().id]) return;
      known[x.record().id] = true;
      made.shared.push_back(x);
    };
    for (const std::size_t i : part.nodes) {
      for (const MLOperand* x : operands_of(data.nodes[i].op.kind(), data.nodes[i].op.get()))
        use(*x);
      for (const MLOperand& y : data.nodes[i].outputs) inside[y.record().id] = true;
    }
    for (const MLOperand& y : part.outputs) use(y);
  }
  if (open) return fail("what it computes has open dimensions");
  for (const Part& part : parts_) {
    Body body(parameters_, made.shared);
    for (const std::size_t i : part.nodes) body.add(data.nodes[i]);
    for (const MLOperand& y : part.outputs) body.add_output(y);
    made.subgraphs.emplace_back(body.graph(), static_cast<std::uint32_t>(parameters_.size() - 1),
                                has_condition);
  }
  return made;
}

}  // namespace webnn::inline v0_1
