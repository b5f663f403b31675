#include "src/builder/loop_recorder.h"

#include "src/graph/control/operators.h"

namespace webnn::inline v0_1 {
namespace {

/// What follows from placeholders, as the body of a loop: also what no output needs, for sizes of
/// it may have been read, which each iteration checks.
class Cut {
 public:
  Cut(const GraphData& data, const std::vector<MLOperand>& parameters)
      : data_(data), inside_(data.nodes.size()), copies_(data.operands.size()) {
    for (const MLOperand& x : parameters) inside_[x.record().producer] = true;
    // What follows from placeholders that come later is a part of inner loops.
    std::vector<bool> others(data.nodes.size());
    for (std::size_t i = parameters.front().record().producer; i < data.nodes.size(); ++i) {
      const Op& op = data.nodes[i].op;
      if (inside_[i]) continue;
      others[i] = op.as<control::placeholder>() != nullptr;
      for (const MLOperand* x : operands_of(op.kind(), op.get())) {
        if (x->record().kind != OperandKind::result) continue;
        if (others[x->record().producer]) others[i] = true;
        if (inside_[x->record().producer]) inside_[i] = true;
      }
      if (others[i]) inside_[i] = false;
    }
    for (const MLOperand& x : parameters) add_input(x);
  }

  void add_outputs(const std::vector<MLOperand>& outputs) {
    std::vector<const NodeData*> nodes;  // without the parameters
    for (const NodeData& node : data_.nodes)
      if (is_inside(node.outputs.front()) && !copy_of(node.outputs.front())) nodes.push_back(&node);
    // All inputs come first, as a file has them.
    for (const NodeData* node : nodes)
      for (const MLOperand* x : operands_of(node->op.kind(), node->op.get())) share(*x);
    for (const MLOperand& y : outputs) share(y);
    for (const NodeData* node : nodes) add(*node);
    for (const MLOperand& y : outputs) body_->outputs.push_back({"", copy_of(y)});
  }
  std::shared_ptr<const GraphData> body() const { return body_; }
  /// The operands outside of the body that it reads.
  const std::vector<MLOperand>& shared() const { return shared_; }

 private:
  bool is_inside(const MLOperand& x) const {
    return x.record().kind == OperandKind::result && inside_[x.record().producer];
  }
  void add_input(const MLOperand& x) {
    const OperandRecord& r = x.record();
    copies_[r.id] =
        body_->add({.descriptor = r.descriptor, .kind = OperandKind::input, .open = r.open});
  }
  const MLOperand& copy_of(const MLOperand& x) const { return copies_[x.record().id]; }
  void share(const MLOperand& x) {
    if (is_inside(x) || copy_of(x)) return;
    shared_.push_back(x);
    add_input(x);
  }
  void add(const NodeData& node) {
    Op op = node.op.clone();
    for (MLOperand* x : op.operands()) *x = copy_of(*x);
    std::vector<MLOperandDescriptor> results;
    for (const MLOperand& y : node.outputs) results.push_back(y.record().descriptor);
    const std::vector<MLOperand> made = body_->add(std::move(op), results);
    for (std::size_t i = 0; i < made.size(); ++i) {
      const OperandRecord& old = node.outputs[i].record();
      body_->operands[made[i].record().id].open = old.open;
      copies_[old.id] = made[i];
    }
  }

  const GraphData& data_;
  std::vector<bool> inside_;
  std::vector<MLOperand> copies_, shared_{};  // by id
  std::shared_ptr<GraphData> body_ = std::make_shared<GraphData>();
};

}  // namespace

LoopRecorder::LoopRecorder(MLGraphBuilder& b, MLOperand trips, MLOperand condition)
    : b_(b),
      trips_(std::move(trips)),
      condition_(std::move(condition)),
      middle_(b.constant(int64, 0)) {
  // While sizes are tried, one in the middle, whose sizes are not those of some dimension.
  if (trips_.constant()) return;
  const MLOperand one = b.constant(int64, 1), two = b.constant(int64, 2);
  middle_ = b.max(middle_, b.div(b.sub(trips_, one), two));
}

void LoopRecorder::begin() {
  states_.clear();
  initial_.clear();
  iteration_ = append_internal(b_, Op::of(control::placeholder{middle_})).front();
}

MLOperand LoopRecorder::state(const MLOperand& initial, std::vector<std::uint32_t> axes) {
  initial_.push_back(initial);
  states_.push_back(
      append_internal(b_, Op::of(control::placeholder{initial, std::move(axes)})).front());
  return states_.back();
}

std::vector<MLOperand> LoopRecorder::finish(const std::vector<MLOperand>& next,
                                            const std::vector<MLOperand>& sequences,
                                            const std::optional<MLOperand>& condition,
                                            std::string label) {
  std::vector<MLOperand> parameters{iteration_}, outputs = next;
  parameters.insert(parameters.end(), states_.begin(), states_.end());
  outputs.insert(outputs.end(), sequences.begin(), sequences.end());
  if (condition) outputs.push_back(*condition);
  const std::lock_guard lock(detail::state_of(b_)->mutex);
  Cut cut(detail::state_of(b_)->data, parameters);
  cut.add_outputs(outputs);
  control::loop op{{trips_, condition_},
                   {cut.body(), static_cast<std::uint32_t>(next.size()), condition.has_value()},
                   {std::move(label)}};
  op.inputs.insert(op.inputs.end(), initial_.begin(), initial_.end());
  op.inputs.insert(op.inputs.end(), cut.shared().begin(), cut.shared().end());
  return append_internal(b_, Op::of(std::move(op)));
}

std::vector<bool> parts_of_loops(const GraphData& data) {
  std::vector<bool> inside(data.nodes.size());
  for (std::size_t i = 0; i < data.nodes.size(); ++i) {
    const Op& op = data.nodes[i].op;
    inside[i] = op.as<control::placeholder>() != nullptr;
    for (const MLOperand* x : operands_of(op.kind(), op.get()))
      if (x->record().kind == OperandKind::result && inside[x->record().producer]) inside[i] = true;
  }
  return inside;
}

}  // namespace webnn::inline v0_1
