#include "src/builder/local_shape_trials.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/builder/rules.h"
#include "src/graph/resolve.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::size_t max_nodes = 64;  // that compute shape operands

using ShapeInTrial = std::function<const Dims&(const MLOperand&)>;

bool reads_shape(const Op& op) {
  return op.as<ops::shapeOf>() || op.as<ops::rank>() || op.as<ops::dimension>();
}

/// The operands of which an operator reads shapes, itself or by its shape operands; nothing where
/// these are constant or follow from too much.
class Reads {
 public:
  Reads(const Op& op, const GraphData& open) : open_(open) {
    Op copied = op.clone();
    std::set<const OperandRecord*> shapes;
    for (const ShapeOperand& x : shape_operands(copied))
      if (*x.operand) shapes.insert(&x.operand->record());
    for (const MLOperand* x : operands_of(op.kind(), op.get()))
      if (!shapes.contains(&x->record())) all_.push_back(*x);
      else if (x->record().kind == OperandKind::result) visit(*x);
  }
  bool any() const { return nodes_ > 0 && nodes_ <= max_nodes; }
  const std::vector<MLOperand>& all() const { return all_; }

 private:
  void visit(const MLOperand& x) {
    if (x.record().kind != OperandKind::result || nodes_ > max_nodes) return;
    if (!seen_.insert(&x.record()).second) return;
    ++nodes_;
    const NodeData& node = open_.nodes[x.record().producer];
    for (const MLOperand* y : operands_of(node.op.kind(), node.op.get()))
      if (reads_shape(node.op)) all_.push_back(*y);
      else visit(*y);
  }

  const GraphData& open_;
  std::vector<MLOperand> all_{};
  std::set<const OperandRecord*> seen_{};
  std::size_t nodes_ = 0;
};

/// The operator and what computes its shape operands, in a graph of their own.
class Replay {
 public:
  Replay(const GraphData& open, Evaluate evaluate, const ShapeInTrial& shape,
         const std::set<std::string_view>& names, std::uint32_t size)
      : open_(open), shape_(shape), names_(names), size_(size), values_(data_, evaluate) {}

  std::optional<LocalTrial> run(const Op& op) {
    LocalTrial trial;
    Op sized = op.clone();
    std::set<const MLOperand*> shapes;
    for (const ShapeOperand& x : shape_operands(sized)) shapes.insert(x.operand);
    for (MLOperand* x : sized.operands()) {
      const auto now = shapes.contains(x) ? computed(*x) : std::optional(sized_input(*x));
      if (!now) return std::nullopt;
      *x = *now;
      trial.operands.push_back(x->record().descriptor.shape);
    }
    const auto results = add_operator(data_, values_, std::move(sized), Rules::specification);
    if (!results) return std::nullopt;
    for (const MLOperand& y : *results) trial.results.push_back(y.record().descriptor.shape);
    return trial;
  }

 private:
  MLOperand sized_input(const MLOperand& x) {
    OperandRecord r = x.record();
    if (r.kind != OperandKind::constant) r.kind = OperandKind::input;
    r.descriptor.shape = shape_(x);
    if (const auto open = std::exchange(r.open, nullptr))
      for (std::size_t d = 0; d < open->dimensions.size(); ++d)
        if (open->dimensions[d].is_open() && names_.contains(open->dimensions[d].dynamic().name))
          r.descriptor.shape[d] = size_;
    return data_.add(std::move(r));
  }
  /// What an operator of the graph that computes with shapes gives; nothing where it refuses.
  std::optional<MLOperand> computed(const MLOperand& x) {
    if (const auto found = made_.find(&x.record()); found != made_.end()) return found->second;
    if (x.record().kind == OperandKind::constant) return made_[&x.record()] = data_.add(x.record());
    if (x.record().kind != OperandKind::result) return std::nullopt;
    const NodeData& node = open_.nodes[x.record().producer];
    if (const auto* first = node.op.as<control::placeholder>()) return computed(first->input);
    Op op = node.op.clone();
    for (MLOperand* y : op.operands()) {
      const auto now = reads_shape(node.op) ? std::optional(sized_input(*y)) : computed(*y);
      if (!now) return std::nullopt;
      *y = *now;
    }
    const auto results = add_operator(data_, values_, std::move(op), Rules::specification);
    if (!results) return std::nullopt;
    for (std::size_t k = 0; k < node.outputs.size(); ++k)
      made_[&node.outputs[k].record()] = (*results)[k];
    return made_[&x.record()];
  }

  const GraphData& open_;
  const ShapeInTrial& shape_;
  const std::set<std::string_view>& names_;
  std::uint32_t size_;
  GraphData data_{};
  KnownValues values_;
  std::map<const OperandRecord*, MLOperand> made_{};
};

}  // namespace

std::vector<LocalTrial> local_shape_trials(const Op& op, const GraphData& open, Evaluate evaluate,
                                           const ShapeInTrial& shape_in_trial) {
  const Reads reads(op, open);
  if (!reads.any()) return {};
  std::map<std::string_view, std::uint32_t> names;  // with their sizes in the trial
  for (const MLOperand& x : reads.all()) {
    const auto& shape = x.record().open;
    if (!shape) continue;
    if (!shape->ranked) return {};
    for (std::size_t d = 0; d < shape->dimensions.size(); ++d)
      if (shape->dimensions[d].is_open())
        names.emplace(shape->dimensions[d].dynamic().name, shape_in_trial(x)[d]);
  }
  std::set<std::pair<std::set<std::string_view>, std::uint32_t>> changed;
  for (const auto& [name, size] : names) {
    changed.insert({{name}, size});
    std::set<std::string_view> alike;  // one may be made of the other
    for (const auto& [other, its_size] : names)
      if (its_size == size) alike.insert(other);
    changed.insert({std::move(alike), size});
  }
  std::vector<LocalTrial> found;
  for (const auto& [those, size] : changed)
    for (const std::uint32_t other : std::set{1u, 3u, size + 1, 2 * size, 3 * size})
      if (other != size)
        if (auto trial = Replay(open, evaluate, shape_in_trial, those, other).run(op))
          found.push_back(std::move(*trial));
  return found;
}

}  // namespace webnn::inline v0_1
