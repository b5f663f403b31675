#include "webnn/graph_builder.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "src/builder/builder_state.h"
#include "src/builder/open_dimensions.h"
#include "src/builder/rules.h"
#include "src/builder/validate.h"
#include "src/graph/custom.h"
#include "src/graph/element_bits.h"
#include "src/graph/failure.h"
#include "src/graph/known.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1 {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

void check_outputs(const NamedOperands& outputs, const GraphData& data) {
  if (outputs.empty()) raise(fail("there are no outputs"), "build");
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [name, x] = outputs[i];
    if (name.empty()) raise(fail("the name of output {} is empty", i), "build");
    if (!names.insert(name).second) raise(fail("the name is given twice"), "build", name);
    if (!x || owner_of(x) != &data)
      raise(fail("the output belongs to another builder"), "build", name);
    if (x.record().kind != OperandKind::result)
      raise(fail("the output is an input or a constant; identity() makes it a result"), "build",
            name);
  }
}

/// The list of inputs that the caller gives: each an input of the builder, once, by its name.
void check_inputs(const NamedOperands& inputs, const GraphData& data) {
  std::unordered_set<std::string_view> names;
  for (const auto& [name, x] : inputs) {
    if (!x || owner_of(x) != &data)
      raise(fail("the input belongs to another builder"), "build", name);
    if (x.record().kind != OperandKind::input)
      raise(fail("the operand in the list of inputs is not an input"), "build", name);
    if (x.record().name != name)
      raise(fail("the name of the input is \"{}\", not that in the list of inputs",
                 escaped(x.record().name)),
            "build", name);
    if (!names.insert(name).second) raise(fail("the input is given twice"), "build", name);
  }
}

/// Throws when the outputs need an input that is not in the list.
void check_listed(const Graph& graph, std::size_t listed) {
  if (graph.inputs().size() == listed) return;
  raise(fail("the outputs need the input, which is not in the list of inputs"), "build",
        graph.inputs()[listed].name);
}

/// Which constant of the builder the next one is, counted from 1, as messages name it.
std::string next_constant(const GraphData& data) {
  const auto is_constant = [](const auto& x) { return x.kind == OperandKind::constant; };
  return format("#{}", {std::ranges::count_if(data.operands, is_constant) + 1});
}

/// The dimensions of an input, of which the new open ones join the others.
shape::Check check_input(const MLInputOperandDescriptor& d,
                         std::vector<MLDynamicDimension>& dimensions) {
  ops::Sizes least;  // what the smallest run has
  for (std::size_t i = 0; i < d.shape.size(); ++i) {
    least.push_back(d.shape[i].is_open() ? 1 : d.shape[i].size());
    if (!d.shape[i].is_open()) continue;
    const MLDynamicDimension& dimension = d.shape[i].dynamic();
    const auto& [name, min, max] = dimension;
    if (name.empty()) return fail("the name of dimension {} is empty", i);
    if (min > max || max > shape::max_dimension)
      return fail(
          "the bounds of dimension {} ({}), {} and {}, are not between 0 and {} in this order", i,
          in_quotes(name), min, max, shape::max_dimension);
    const auto known = std::ranges::find(dimensions, name, &MLDynamicDimension::name);
    if (known == dimensions.end()) {
      dimensions.push_back(dimension);
    } else if (*known != dimension) {
      return fail(
          "the bounds of dimension {} ({}), {} and {}, are not those of the inputs before, "
          "{} and {}",
          i, in_quotes(name), min, max, known->minSize, known->maxSize);
    } else {
      continue;
    }
    least.back() = std::max(min, 1u);
  }
  return check_dimensions("the input", d.dataType, least);
}

/// Each operand is present and belongs to the graph.
shape::Check check_owner(const Op& op, const GraphData* owner) {
  shape::Check bad;
  visit_known(
      [&](const auto& o) {
        ops::for_each_operand(o, [&]<class V>(const auto& row, const V& value) {
          int index = std::same_as<V, std::vector<MLOperand>> ? 0 : -1;
          ops::each(value, [&](const MLOperand& x) {
            const BoundOperand operand{row.name, &row.limits, index < 0 ? -1 : index++, x};
            if (!bad) bad = check_owner(std::span(&operand, 1), owner);
          });
        });
      },
      op);
  return bad;
}

void check_constant(const MLOperandDescriptor& d, std::size_t bytes, const GraphData& data) {
  const auto shape = shape::sizes(d.shape);
  if (auto bad = check_dimensions("the constant", d.dataType, shape))
    raise(*bad, "constant", next_constant(data));
  if (bytes != byte_length(d))
    raise(fail("the byte length ({}) is not that of {} {} ({})", bytes, d.dataType, d.shape,
               byte_length(d)),
          "constant", next_constant(data));
}

}  // namespace

MLContext MLGraphBuilder::context() const { return state_->context; }

MLGraphBuilder builder_of(const MLOperand& x) {
  BuilderState* state = owner_of(x)->builder;
  if (!state || detail::state_of(x).use_count() == 0)
    raise(fail("the operand belongs to no builder"), "builder_of");
  return detail::make<MLGraphBuilder>(std::shared_ptr<BuilderState>(detail::state_of(x), state));
}

void MLGraphBuilder::require_open(std::string_view method, std::string_view label) const {
  using enum ErrorName;
  if (is_inferring())
    raise({"infer() of a custom operator calls it", InvalidStateError}, method, label);
  if (*state_->lost) raise({"the context is lost", InvalidStateError}, method, label);
  if (state_->built)
    raise({"the builder has already built a graph", InvalidStateError}, method, label);
}

namespace {

/// What open dimensions need that an operator has: operands of the builder, and sizes with which
/// all checks pass.
std::vector<MLOperand> append_open(BuilderState& state, Op op, std::string_view name,
                                   std::string_view label) {
  if (auto bad = check_owner(op, &state.data)) raise(*bad, name, label);
  for (MLOperand* x : op.operands()) *x = borrowed(x->record());
  const auto shapes = state.trials->add(op);
  if (!shapes) raise(shapes.failure(), name, label);
  std::vector<MLOperandDescriptor> descriptors;
  for (const Trials::Shape& s : *shapes) descriptors.push_back(s.descriptor);
  const std::vector<MLOperand> made = state.data.add(std::move(op), descriptors);
  for (std::size_t i = 0; i < made.size(); ++i)
    state.data.operands[made[i].record().id].open = (*shapes)[i].open;
  state.trials->set_results(made);
  return made;
}

/// A result that is a constant, because sizes are known, as one that can be an output.
MLOperand as_result(GraphData& data, const MLOperand& x) {
  if (x.record().kind == OperandKind::result) return x;
  return data.add(Op::of(ops::identity{x}), {x.descriptor()}).front();
}

}  // namespace

std::vector<MLOperand> append_internal(MLGraphBuilder& b, Op op) {
  BuilderState& state = *detail::state_of(b);
  const Lock lock(state.mutex);
  const std::string_view name = name_of_kind(op.kind());
  const std::string label(label_of_kind(op.kind(), op.get()));
  if (!state.trials) raise(fail("no dimension is open"), name, label);
  std::vector<MLOperand> made = append_open(state, std::move(op), name, label);
  for (MLOperand& x : made) x = owned(detail::state_of(b), x);
  return made;
}

std::vector<MLOperand> MLGraphBuilder::append(std::size_t kind, void* op) {
  const Lock lock(state_->mutex);
  const std::string name(name_of_op(kind, op));
  const std::string label(label_of_kind(kind, op));
  require_open(name, label);
  BuilderState& state = *state_;
  std::vector<MLOperand> made;
  if (state.trials) {
    made = append_open(state, take(kind, op), name, label);
  } else {
    auto results = add_operator(state.data, state.values, take(kind, op), state.rules);
    if (!results) raise(results.failure(), name, label);
    for (const MLOperand& x : *results) made.push_back(as_result(state.data, x));
  }
  for (MLOperand& x : made) x = owned(state_, x);  // what leaves a builder keeps it alive
  return made;
}

MLOperand MLGraphBuilder::append_one(std::size_t kind, void* op) {
  return std::move(append(kind, op).front());
}

namespace {

/// Rules::tests2025 are those of programs from before dimensions had names: a builder with such a
/// dimension follows the specification.
void follow_specification(BuilderState& state, std::string_view input) {
  if (state.reusable)
    raise({"a dimension has a name, which the 2023 draft does not know",
           ErrorName::NotSupportedError},
          "input", input);
  if (state.rules == Rules::specification) return;
  std::unordered_set<std::string> names;
  for (const OperandRecord& x : state.data.operands)
    if (x.kind == OperandKind::input && !names.insert(x.name).second)
      raise(fail("a dimension has a name, and two inputs have the name {}", in_quotes(x.name)),
            "input", input);
  if (names.contains(std::string(input))) raise(fail("the name is already used"), "input", input);
  state.input_names = std::move(names);
  state.rules = Rules::specification;
}

}  // namespace

MLOperand MLGraphBuilder::input(std::string name, MLInputOperandDescriptor d) {
  const Lock lock(state_->mutex);
  require_open("input", name);
  if (name.empty()) raise(fail("the name is empty"), "input");
  BuilderState& state = *state_;
  if (state.input_names.contains(name)) raise(fail("the name is already used"), "input", name);
  const bool open = d.shape.are_open();
  if (open)
    if (const auto bad = open_dimensions_left_out()) raise(*bad, "input", name);
  std::vector<MLDynamicDimension> dimensions = state.data.dimensions;
  if (auto bad = check_input(d, dimensions)) raise(*bad, "input", name);
  if (open) follow_specification(state, name);
  const bool unique = !state.reusable && state.rules == Rules::specification;
  const auto added = unique ? state.input_names.insert(name).first : state.input_names.end();
  try {
    OperandRecord record{.descriptor = {d.dataType, d.shape.sizes()},
                         .kind = OperandKind::input,
                         .name = std::move(name)};
    if (open) record.open = std::make_shared<OpenShape>(OpenShape{std::move(d.shape)});
    if (open && !state.trials) state.trials = std::make_unique<Trials>(state.data, state.evaluate);
    state.data.dimensions = std::move(dimensions);
    const MLOperand x = state.data.add(std::move(record));
    if (state.trials) state.trials->add_input(x);
    return owned(state_, x);
  } catch (...) {
    if (unique) state.input_names.erase(added);
    throw;
  }
}

MLOperand MLGraphBuilder::constant(MLOperandDescriptor d, Constant bytes) {
  const Lock lock(state_->mutex);
  require_open("constant");
  check_constant(d, bytes.bytes().size(), state_->data);
  const auto unit = static_cast<std::size_t>(std::max(8, bits_of(d.dataType))) / 8;
  if (reinterpret_cast<std::uintptr_t>(bytes.bytes().data()) % unit != 0)
    bytes = Constant::copy_of(bytes.bytes());  // kernels read whole elements
  return owned(state_, state_->data.add({.descriptor = std::move(d),
                                         .kind = OperandKind::constant,
                                         .constant = std::move(bytes)}));
}

MLOperand MLGraphBuilder::constant(MLOperandDescriptor d, InputView values) {
  {
    const Lock lock(state_->mutex);  // not while the values are copied
    require_open("constant");
    if (!values.views(d.dataType))
      raise(values.type()
                ? fail("the elements are {}, the data type is {}", *values.type(), d.dataType)
                : fail("the elements are 16-bit patterns, the data type is {}", d.dataType),
            "constant", next_constant(state_->data));
    check_constant(d, values.size(), state_->data);
  }
  try {
    return constant(std::move(d), Constant::copy_of(values.bytes()));
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "constant");
  }
}

MLOperand MLGraphBuilder::constant(MLOperandDataType type, MLNumber value) {
  const Lock lock(state_->mutex);
  require_open("constant");
  if (!is_data_type(type))
    raise(not_a_data_type("the constant", type), "constant", next_constant(state_->data));
  if (state_->rules == Rules::tests2025) check_scalar(type);
  const std::uint64_t bits = element_bits(type, value);
  const auto bytes = std::as_bytes(std::span(&bits, 1));
  return constant({type, {}}, Constant::copy_of(bytes.first(byte_length({type, {}}))));
}

MLOperand MLGraphBuilder::constant(MLOperandDescriptor d, std::span<const double> values) {
  std::vector<std::byte> bytes;
  {
    const Lock lock(state_->mutex);
    require_open("constant");
    const auto shape = shape::sizes(d.shape);
    if (auto bad = check_dimensions("the constant", d.dataType, shape))
      raise(*bad, "constant", next_constant(state_->data));
    if (values.size() != element_count(d.shape))
      raise(fail("the number of values ({}) is not that of the elements of {} ({})", values.size(),
                 d.shape, element_count(d.shape)),
            "constant", next_constant(state_->data));
    bytes.resize(byte_length(d));
    const auto width = static_cast<std::size_t>(bits_of(d.dataType));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::uint64_t bits = element_bits(d.dataType, values[i]);
      if (width >= 8) std::memcpy(&bytes[i * width / 8], &bits, width / 8);
      else bytes[i / 2] |= static_cast<std::byte>(bits << (i % 2 * 4));
    }
  }
  return constant(std::move(d), Constant::copy_of(bytes));
}

Graph MLGraphBuilder::finish(const NamedOperands& outputs, const NamedOperands& inputs) {
  const Lock lock(state_->mutex);
  require_open("build");
  check_outputs(outputs, state_->data);
  check_inputs(inputs, state_->data);
  std::unordered_set<const OperandRecord*> destroyed;
  for (const auto& [x, is_destroyed] : state_->tensors)
    if (is_destroyed()) destroyed.insert(&x.record());
  if (!destroyed.empty() && reads(state_->data, outputs, destroyed))
    raise(fail("a constant tensor that the outputs need is destroyed"), "build");
  if (state_->trials) state_->data.typical = state_->trials->sizes();
  const Graph graph = graph_of(copy(state_->data, outputs, {}, inputs));
  if (!inputs.empty()) check_listed(graph, inputs.size());
  if (state_->reusable || state_->rules != Rules::specification) check_deferred(graph);
  state_->built = !state_->reusable;
  return graph;
}

}  // namespace webnn::inline v0_1
