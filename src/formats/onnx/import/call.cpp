#include "src/formats/onnx/import/call.h"

#include <cstring>

#include "src/builder/builder_state.h"
#include "webnn/float16.h"
#include "webnn/shape/broadcast.h"

namespace webnn::inline v0_1::onnx {

using formats::folded;
using formats::max_folded;

void Call::refuse(const Failure& f) const { onnx::refuse(scope_.import().file, f); }
void Call::unsupported(const Failure& f) const { onnx::unsupported(scope_.import().file, f); }

void Call::spend(std::uint64_t bytes) const {
  if (auto bad = scope_.import().budget.spend(bytes, "its constants")) refuse(*bad);
}

bool Call::has(std::size_t i) const {
  if (i >= inputs() || node_.inputs[i].empty()) return false;
  const Value* v = scope_.find(node_.inputs[i]);
  return !v || !v->absent;
}

const Value& Call::in(std::size_t i) const {
  if (!has(i)) refuse(fail("its input {} is missing", i));
  Value* v = scope_.find(node_.inputs[i]);
  if (!v)
    refuse(fail("its input {}, {}, has no value: no input, tensor or node has that name", i,
                in_quotes(node_.inputs[i])));
  return *v;
}

MLOperand Call::x(std::size_t i) const {
  return scope_.operand(const_cast<Value&>(in(i)), node_.inputs[i]);
}
std::optional<MLOperand> Call::optional(std::size_t i) const {
  return has(i) ? std::optional(x(i)) : std::nullopt;
}
ops::Sizes Call::shape(std::size_t i) const {
  if (const auto& e = in(i).empty) return *e;
  const Dims d = x(i).shape();
  return {d.begin(), d.end()};
}
MLOperandDataType Call::type(std::size_t i) const {
  return in(i).empty ? in(i).type : x(i).dataType();
}

void Call::set(std::size_t i, Value v) const {
  if (has_output(i)) scope_.set(node_.outputs[i], std::move(v));
}

// Values that have to be known.

std::optional<MLOperand> Call::known_operand(const MLOperand& x) const {
  if (x.constant()) return x;
  return folded(x, b);
}

namespace {

/// The inputs of the builder from which x follows, some of them.
std::vector<std::string> sources(const MLOperand& x, MLGraphBuilder& b) {
  const GraphData& data = detail::state_of(b)->data;
  std::vector<std::string> names;
  std::set<const OperandRecord*> seen;
  std::vector<MLOperand> open{x};
  while (!open.empty() && seen.size() < 10000) {
    const MLOperand y = open.back();
    open.pop_back();
    if (!seen.insert(&y.record()).second) continue;
    if (y.record().kind == OperandKind::input) names.push_back(y.record().name);
    if (y.record().kind != OperandKind::result) continue;
    const NodeData& node = data.nodes[y.record().producer];
    for (const MLOperand* operand : operands_of(node.op.kind(), node.op.get()))
      open.push_back(*operand);
  }
  return names;
}

}  // namespace

Constant Call::known(const MLOperand& x, std::string_view what) const {
  if (element_count(x.shape()) > max_folded && !x.constant())
    unsupported(fail("{} has to be known, but has {} elements, more than {}", what,
                     element_count(x.shape()), max_folded));
  if (const auto constant = known_operand(x)) return *constant->constant();
  Import& import = scope_.import();
  const auto names = sources(x, b);
  bool available = !names.empty();
  for (const std::string& name : names) available = available && import.options.values.count(name);
  if (available) {
    import.wanted_inputs.insert(names.begin(), names.end());
    throw NeedsInput();
  }
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(in_quotes(name));
  unsupported(
      fail("{} has to be known, but follows from the model's input {}: give its value to the "
           "import, in the option values",
           what, joined(quoted)));
}

bool Call::is_known(std::size_t i) const { return empty(i) || known_operand(x(i)).has_value(); }

namespace {

template <class To> std::vector<To> converted(Bytes bytes, MLOperandDataType type) {
  std::vector<To> out;
  const auto each = [&]<class From>(From) {
    for (std::size_t k = 0; k + sizeof(From) <= bytes.size(); k += sizeof(From)) {
      From v{};
      std::memcpy(&v, &bytes[k], sizeof v);
      out.push_back(static_cast<To>(v));
    }
  };
  switch (type) {
    case int64: each(std::int64_t{}); break;
    case uint64: each(std::uint64_t{}); break;
    case int32: each(std::int32_t{}); break;
    case uint32: each(std::uint32_t{}); break;
    case int8: each(std::int8_t{}); break;
    case uint8: each(std::uint8_t{}); break;
    case float32:
      if constexpr (std::is_floating_point_v<To>) each(float{});
      break;
    case float16:
      if constexpr (std::is_floating_point_v<To>) {
        for (std::size_t k = 0; k + 2 <= bytes.size(); k += 2) {
          std::uint16_t v = 0;
          std::memcpy(&v, &bytes[k], 2);
          out.push_back(float16_value(v));
        }
      }
      break;
    default: break;
  }
  return out;
}

std::string input_name(const Node& node, std::size_t i) {
  return format("its input {} ({})", {i, in_quotes(node.inputs[i])});
}

}  // namespace

Ints Call::ints(std::size_t i) const {
  if (empty(i)) return {};
  const MLOperand y = x(i);
  const MLOperandDataType t = y.dataType();
  if (types::floats.contains(t) || bits_of(t) < 8)
    refuse(fail("{} is {}, not an integer", input_name(node_, i), t));
  return converted<std::int64_t>(known(y, input_name(node_, i)).bytes(), t);
}
void Call::check_places(std::size_t i, const Dims& sizes) const {
  const MLOperand y = x(i);
  if (sizes.empty() || !y.constant() || types::floats.contains(y.dataType())) return;
  const Ints places = ints(i);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::int64_t size = sizes[k % sizes.size()];
    if (places[k] < -size || places[k] >= size)
      refuse(fail("{}: the index {} is not within a dimension of {}", input_name(node_, i),
                  places[k], size));
  }
}
std::int64_t Call::integer(std::size_t i) const {
  const Ints list = ints(i);
  if (list.size() != 1)
    refuse(fail("{} has {} elements, not 1", input_name(node_, i), list.size()));
  return list[0];
}
std::vector<double> Call::reals(std::size_t i) const {
  if (empty(i)) return {};
  const MLOperand y = x(i);
  return converted<double>(known(y, input_name(node_, i)).bytes(), y.dataType());
}
double Call::real(std::size_t i) const {
  const auto list = reals(i);
  if (list.size() != 1)
    refuse(fail("{} has {} elements, not 1", input_name(node_, i), list.size()));
  return list[0];
}

// Attributes.

const Attribute* Call::attribute(std::string_view name) const {
  for (std::size_t i = 0; i < node_.attributes.size(); ++i)
    if (node_.attributes[i].name == name) {
      read_[i] = true;
      return scope_.resolve(node_.attributes[i]);
    }
  return nullptr;
}
const Attribute* Call::attribute(std::string_view name, AttributeType type) const {
  const Attribute* a = attribute(name);
  // Files of IR version 1 have no types.
  if (a && a->type != type && a->type != AttributeType::undefined)
    refuse(fail("its attribute {} is of another type", in_quotes(name)));
  return a;
}
std::int64_t Call::integer(std::string_view name, std::int64_t fallback) const {
  const Attribute* a = attribute(name, AttributeType::integer);
  return a ? integer_of(*a) : fallback;
}
double Call::real(std::string_view name, double fallback) const {
  const Attribute* a = attribute(name, AttributeType::real);
  return a ? real_of(*a) : fallback;
}
std::string_view Call::text(std::string_view name, std::string_view fallback) const {
  const Attribute* a = attribute(name, AttributeType::text);
  return a ? text_of(*a) : fallback;
}
std::optional<Ints> Call::ints(std::string_view name) const {
  const Attribute* a = attribute(name, AttributeType::integers);
  return a ? std::optional(integers_of(*a)) : std::nullopt;
}
std::optional<std::vector<float>> Call::reals(std::string_view name) const {
  const Attribute* a = attribute(name, AttributeType::reals);
  return a ? std::optional(reals_of(*a)) : std::nullopt;
}
std::vector<std::string_view> Call::texts(std::string_view name) const {
  const Attribute* a = attribute(name, AttributeType::texts);
  return a ? texts_of(*a) : std::vector<std::string_view>();
}
std::optional<Tensor> Call::tensor(std::string_view name) const {
  const Attribute* a = attribute(name, AttributeType::tensor);
  return a ? std::optional(tensor_of(*a, scope_.import().limits)) : std::nullopt;
}
std::optional<GraphProto> Call::graph(std::string_view name) const {
  const Attribute* a = attribute(name, AttributeType::graph);
  return a ? std::optional(graph_of(*a, scope_.import().limits)) : std::nullopt;
}
ElementType Call::element_type(std::string_view name, ElementType fallback) const {
  const std::int64_t v = integer(name, static_cast<std::int64_t>(fallback));
  return static_cast<ElementType>(v < 0 || v > 1000 ? 1000 : v);
}
void Call::check_all_read() const {
  for (std::size_t i = 0; i < read_.size(); ++i) {
    // Operator sets before 6 have a hint for the allocation of memory.
    if (version_ < 6 && node_.attributes[i].name == "consumed_inputs") continue;
    if (!read_[i] && scope_.resolve(node_.attributes[i]))
      unsupported(
          fail("its attribute {} is not one that is known", in_quotes(node_.attributes[i].name)));
  }
}

// Checks.

std::uint32_t Call::axis(std::int64_t axis, std::size_t rank) const {
  const auto n = static_cast<std::int64_t>(rank);
  if (axis < -n || axis >= n) refuse(fail("axis ({}) is not within the rank ({})", axis, n));
  return static_cast<std::uint32_t>(axis < 0 ? axis + n : axis);
}
std::uint32_t Call::axis_or_end(std::int64_t given, std::size_t rank) const {
  if (given == static_cast<std::int64_t>(rank)) return static_cast<std::uint32_t>(rank);
  return axis(given, rank);
}
Dims Call::axes(const Ints& list, std::size_t rank) const {
  Dims out;
  for (std::int64_t a : list) {
    out.push_back(axis(a, rank));
    if (std::count(out.begin(), out.end(), out.back()) > 1)
      refuse(fail("axis {} occurs twice", out.back()));
  }
  return out;
}
std::uint32_t Call::dimension(std::int64_t size, std::string_view what) const {
  if (size == 0) unsupported(fail("{} is 0, which WebNN does not allow", what));
  if (size < 1 || size > std::int64_t{max_tensor_byte_length})
    refuse(fail("{} ({}) is not between 1 and {}", what, size, max_tensor_byte_length));
  return static_cast<std::uint32_t>(size);
}
Dims Call::dims(const Ints& list, std::string_view what) const {
  Dims out;
  for (std::int64_t size : list) out.push_back(dimension(size, what));
  return out;
}
void Call::require_rank(const MLOperand& x, std::uint32_t min, std::uint32_t max) const {
  if (x.rank() < min || x.rank() > max)
    unsupported(fail("its input has shape {}, not {} to {} dimensions", x.shape(), min, max));
}
void Call::require_floats(const MLOperand& x) const {
  if (!types::floats.contains(x.dataType()))
    unsupported(fail("WebNN computes it with floats alone, not with {}", x.dataType()));
}
void Call::require_broadcast(const MLOperand& x, const Dims& shape, std::string_view name) const {
  if (!shape::broadcasts_to(shape::sizes(x.shape()), shape::sizes(shape)))
    refuse(fail("{} has shape {}, which does not broadcast to {}", name, x.shape(), shape));
}
void Call::require_shape(const MLOperand& x, const Dims& shape, std::string_view name) const {
  if (x.shape() != shape) refuse(fail("{} has shape {}, not {}", name, x.shape(), shape));
}
MLOperandDataType Call::data_type(ElementType t) const {
  if (t == ElementType::DOUBLE && scope_.import().options.narrow_double) return float32;
  if (const auto type = data_type_of(t)) return *type;
  unsupported(no_type(t));
}
void Call::no_output(std::size_t i, std::string_view name) const {
  if (has_output(i)) unsupported(fail("its output {} has no counterpart in WebNN", name));
}

// Composition.

MLOperand Call::int64s(Dims shape, const Ints& values) const {
  spend(values.size() * 8);
  return b.constant({int64, std::move(shape)}, values);
}
MLOperand Call::floats(MLOperandDataType type, Dims shape, const std::vector<float>& values) const {
  spend(values.size() * 4);
  return cast(b.constant({float32, std::move(shape)}, values), type);
}
MLOperand Call::integers(MLOperandDataType type, Dims shape, const Ints& values) const {
  return cast(int64s(std::move(shape), values), type);
}
MLOperand Call::reshaped(const MLOperand& x, Dims shape) const {
  if (x.shape() == shape) return x;
  // A constant remains one: scales choose integer kernels, and WebNN has no reshape of 4 bits.
  if (x.constant() && element_count(shape) == element_count(x.shape()))
    return b.constant({x.dataType(), std::move(shape)}, *x.constant());
  return b.reshape(x, std::move(shape));
}
MLOperand Call::permuted(const MLOperand& x, Dims permutation) const {
  bool same = permutation.size() == x.rank();
  for (std::uint32_t i = 0; same && i < permutation.size(); ++i) same = permutation[i] == i;
  return same ? x : b.transpose(x, {.permutation = std::move(permutation)});
}
MLOperand Call::cast(const MLOperand& x, MLOperandDataType type) const {
  if (x.dataType() == type) return x;
  const MLOperand y = b.cast(x, type);
  // A small constant remains one, for it is a part of what is computed at once.
  if (x.constant() && element_count(x.shape()) <= max_folded)
    if (auto k = folded(y, b)) return *k;
  return y;
}
MLOperand Call::second_operand(const MLOperand& first) const {
  const MLOperand y = x(1);
  if (version_ >= 7) return y;
  if (integer("broadcast", 0) == 0) {
    if (!y.shape().empty()) require_shape(y, first.shape(), "B without broadcast");
    return y;
  }
  const auto from = axis(integer("axis", std::int64_t{first.rank()} - y.rank()), first.rank() + 1);
  if (from + y.rank() > first.rank()) refuse(fail("axis ({}) leaves too few dimensions", from));
  Dims shape = y.shape();
  shape.resize(first.rank() - from, 1);
  const MLOperand placed = reshaped(y, shape);
  require_broadcast(placed, first.shape(), "B");
  return placed;
}
MLOperand Call::sliced(const MLOperand& x, std::uint32_t axis, std::uint32_t start,
                       std::uint32_t size, std::uint32_t stride) const {
  if (start == 0 && size == x.shape()[axis] && stride == 1) return x;
  Dims starts(x.rank(), 0), sizes = x.shape(), strides(x.rank(), 1);
  starts[axis] = start;
  sizes[axis] = size;
  strides[axis] = stride;
  return b.slice(x, starts, sizes, {.strides = strides});
}

std::string Call::label() const {
  std::string_view name = node_.name;
  for (std::string_view output : node_.outputs)
    if (name.empty()) name = output;
  return std::string(truncated(name, 256));
}

}  // namespace webnn::inline v0_1::onnx
