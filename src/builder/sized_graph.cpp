#include "src/builder/sized_graph.h"

#include "src/builder/validate.h"
#include "src/graph/failure.h"
#include "src/graph/resolve.h"
#include "src/graph/text.h"
#include "webnn/shape/values.h"

namespace webnn::inline v0_1 {
namespace {

bool is_empty(const MLOperand& x) { return element_count(x.record().descriptor.shape) == 0; }

}  // namespace

std::optional<std::size_t> place_of(const GraphData& open, const MLDimension& dimension) {
  if (!dimension.is_open()) return std::nullopt;
  const auto& all = open.dimensions;
  const auto found = std::ranges::find(all, dimension.dynamic().name, &MLDynamicDimension::name);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

std::string text_of(const GraphData& open, const DimensionSizes& sizes, const Op* op) {
  std::vector<bool> told(sizes.size(), !op);
  std::size_t others = 0;
  for (const MLOperand* x :
       op ? operands_of(op->kind(), op->get()) : std::vector<const MLOperand*>())
    if (const auto& shape = x->record().open) {
      others += !shape->ranked;
      for (const MLDimension& d : shape->dimensions)
        if (const auto i = place_of(open, d)) told[*i] = true;
        else others += d.is_open();
    }
  if (others || std::ranges::find(told, true) == told.end()) told.assign(told.size(), true);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (told[i])
      parts.push_back(escaped(open.dimensions[i].name) + " = " + std::to_string(sizes[i]));
  std::string s;
  for (std::size_t i = 0; i < parts.size(); ++i)
    s += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return s;
}

MLOperand& SizedGraph::place_of_sized(std::uint32_t id) {
  if (sized_.size() <= id) sized_.resize(open_.operands.size());
  if (!sized_[id]) set_.push_back(id);
  return sized_[id];
}

void SizedGraph::restart(DimensionSizes sizes) {
  sizes_ = std::move(sizes);
  values_.clear();
  for (const std::uint32_t id : set_) sized_[id] = {};
  set_.clear();
  derived_.clear();
  empty_.clear();
  unrolled_ = 0;
  data_->nodes.clear();
  data_->inputs.clear();
  data_->operands = {};
}

MLOperand SizedGraph::at(const MLOperand& x) {
  const OperandRecord& r = x.record();
  if (r.kind != OperandKind::constant) return r.id < sized_.size() ? sized_[r.id] : MLOperand();
  MLOperand& y = place_of_sized(r.id);
  if (!y) y = data_->add(r);
  return y;
}

std::optional<Dims> SizedGraph::values_of(const MLOperand& x) {
  const MLOperand& y = at(x);
  const MLOperandDescriptor& d = y.record().descriptor;
  if (!types::sizes.contains(d.dataType) || d.shape.size() > 1 || element_count(d.shape) > 8)
    return std::nullopt;
  const auto known = values_.constant(y, "");
  if (!known) return std::nullopt;
  auto values = shape::values(*known, "");
  if (!values) return std::nullopt;
  return *values;
}

void SizedGraph::set(const MLOperand& x, const MLOperand& sized) {
  place_of_sized(x.record().id) = sized;
}

void SizedGraph::set_shape(const MLOperand& x, const Dims& shape) {
  set(x, add_empty({x.record().descriptor.dataType, shape}));
}
void SizedGraph::set_value(const MLOperand& x, MLOperandDescriptor descriptor, Constant value) {
  set(x, data_->add({.descriptor = std::move(descriptor),
                     .kind = OperandKind::constant,
                     .constant = std::move(value)}));
}
void SizedGraph::set_input(const MLOperand& x, std::string name) {
  set(x, data_->add({.descriptor = at(x).record().descriptor,
                     .kind = OperandKind::input,
                     .name = std::move(name)}));
}

shape::Check SizedGraph::add_input(const MLOperand& x) {
  OperandRecord r = x.record();
  if (r.open) {
    const MLDimensions& dimensions = r.open->dimensions;
    for (std::size_t d = 0; d < dimensions.size(); ++d)
      if (const auto i = place_of(open_, dimensions[d])) r.descriptor.shape[d] = sizes_[*i];
    r.open = nullptr;
    ops::Sizes sizes(r.descriptor.shape.begin(), r.descriptor.shape.end());
    std::ranges::replace(sizes, 0u, 1u);
    if (auto bad = check_dimensions("the input", r.descriptor.dataType, sizes)) return bad;
    if (std::ranges::find(r.descriptor.shape, 0u) != r.descriptor.shape.end()) {
      set(x, add_empty(std::move(r.descriptor)));
      return {};
    }
  }
  set(x, data_->add(std::move(r)));
  return {};
}

/// An operand that the graph does not have.
MLOperand SizedGraph::add_empty(MLOperandDescriptor descriptor) {
  OwnedRecord& record = empty_.emplace_back();
  record.descriptor = std::move(descriptor);
  record.kind = OperandKind::input;
  record.owner = data_.get();
  return borrowed(record);
}

/// An operator of which an operand has no elements: its results have none either, or it is a
/// concat, which joins the others.
Result<std::vector<MLOperand>> SizedGraph::add_without_empty(Op op) {
  const auto results =
      validate(op.kind(), op.get(), data_.get(), Rules::specification, /*empty_results=*/true);
  if (!results) return results.failure();
  std::vector<MLOperand> made;
  for (const MLOperandDescriptor& d : *results)
    if (element_count(d.shape) == 0) made.push_back(add_empty(d));
  if (made.size() == (*results).size()) return made;
  if (const auto* concat = op.as<ops::concat>()) {
    ops::concat rest = *concat;
    std::erase_if(rest.inputs, is_empty);
    return data_->add(rest.inputs.size() > 1 ? Op::of(std::move(rest))
                                             : Op::of(ops::identity{rest.inputs.front()}),
                      *results);
  }
  return fail("an operand has no elements, but a result has");
}

Result<std::vector<MLOperand>> SizedGraph::add(const Op& op) { return add(op, nullptr); }

Result<std::vector<MLOperand>> SizedGraph::add(const Op& op, Local local) {
  if (const auto* loop = op.as<control::loop>()) return add_loop(*loop, local);
  if (const auto* state = op.as<control::placeholder>()) return add_placeholder(*state, local);
  Op sized = op.clone();
  operands_.clear();
  append_operands(sized.kind(), sized.get(), operands_);
  for (const MLOperand* x : operands_)
    *const_cast<MLOperand*>(x) = at(*x, local);  // a member of `sized`
  set_open_steps(sized, op);
  return add_sized(std::move(sized));
}

/// An operator whose operands are of this graph.
Result<std::vector<MLOperand>> SizedGraph::add_sized(Op op) {
  operands_.clear();
  append_operands(op.kind(), op.get(), operands_);
  const bool empty =
      std::ranges::any_of(operands_, [](const MLOperand* x) { return is_empty(*x); });
  const bool reads_shape = op.as<ops::shapeOf>() || op.as<ops::rank>() || op.as<ops::dimension>();
  if (empty && !reads_shape && !is_shape_op(op.kind())) return add_without_empty(std::move(op));
  return add_operator(*data_, values_, std::move(op), Rules::specification);
}

/// What made the open graph has computed with the sizes and the names of x, which trials gave.
shape::Check SizedGraph::check_known(const MLOperand& x, const MLOperand& sized,
                                     NamedSizes& derived) const {
  constexpr std::string_view while_built = "while the graph was built";
  const OperandRecord& r = x.record();
  const Dims& sizes = sized.record().descriptor.shape;
  if (r.open && !r.open->ranked) return {};
  const Dims& known = r.descriptor.shape;
  if (known.size() != sizes.size())
    return fail("its result has rank {}, but had {} at all sizes that were tried {}", sizes.size(),
                known.size(), while_built);
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (!r.open || !r.open->dimensions[d].is_open()) {
      if (known[d] == sizes[d]) continue;
      return fail("dimension {} of its result is {}, but was {} at all sizes that were tried {}", d,
                  sizes[d], known[d], while_built);
    }
    const std::string& name = r.open->dimensions[d].dynamic().name;
    const auto i = place_of(open_, r.open->dimensions[d]);
    const std::uint32_t size =
        i ? sizes_[*i] : derived.emplace(std::string_view(name), sizes[d]).first->second;
    if (size != sizes[d])
      return fail(
          "dimension {} of its result is {}, but was {} ({}) at all sizes that were tried {}", d,
          sizes[d], in_quotes(name), size, while_built);
  }
  return {};
}

shape::Check SizedGraph::add(const NodeData& node) {
  const auto results = add(node.op);
  if (!results) return results.failure();
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (open_.relies_on_known_sizes)
      if (auto bad = check_known(node.outputs[i], (*results)[i], derived_)) return bad;
    set(node.outputs[i], (*results)[i]);
  }
  return {};
}

shape::Check SizedGraph::add_all() {
  const auto with_sizes = [&](Failure bad, const Op* op) {
    if (!sizes_.empty()) bad.message += ", with " + text_of(open_, sizes_, op);
    return bad;
  };
  for (const auto& [name, x] : open_.inputs)
    if (auto bad = add_input(x))
      return with_sizes(fail("input {}: {}", in_quotes(name), bad->message), nullptr);
  for (const NodeData& node : open_.nodes)
    if (auto bad = add(node)) {
      const Op& op = node.op;
      const std::string name =
          name_and_label(name_of_op(op.kind(), op.get()), label_of_kind(op.kind(), op.get()));
      return with_sizes({name + ": " + bad->message, bad->name}, &op);
    }
  return {};
}

Result<Graph> SizedGraph::finish() {
  NamedOperands outputs;
  for (const auto& [name, x] : open_.outputs) {
    outputs.push_back({name, at(x)});
    if (is_empty(outputs.back().operand))
      return fail("output {} has no elements, with {}", in_quotes(name), text_of(open_, sizes_));
  }
  return graph_of(finished(std::move(data_), outputs));
}

Result<Graph> graph_at(const Graph& open, const DimensionSizes& sizes, Evaluate evaluate,
                       Derivation derivation) {
  const GraphData& data = data_of(open);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const MLDynamicDimension& d = data.dimensions[i];
    if (sizes[i] < d.minSize || sizes[i] > d.maxSize)
      return fail("the size ({}) of dimension {} is not between {} and {}", sizes[i],
                  in_quotes(d.name), d.minSize, d.maxSize);
  }
  SizedGraph sized(data, sizes, evaluate);
  sized.set_derivation(std::move(derivation));
  if (auto bad = sized.add_all()) return *bad;
  return sized.finish();
}

}  // namespace webnn::inline v0_1
