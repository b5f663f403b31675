#include "src/formats/onnx/import/call.h"

#include <functional>

#include "src/formats/common/failures.h"
#include "src/formats/common/model_inputs.h"
#include "src/operators/operators.h"

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

namespace {

/// Operators that only move elements, whose results are of 16 bits like their operands.
constexpr std::string_view moves_elements[] = {"Concat",   "Expand",    "Flatten", "Gather",
                                               "Identity", "Reshape",   "Slice",   "Split",
                                               "Squeeze",  "Transpose", "Tile",    "Unsqueeze"};

bool moves(std::string_view op) {
  return std::ranges::find(moves_elements, op) != std::end(moves_elements);
}
/// Operators on integers of 16 bits that int32 computes in the same way, but for bits beyond 16.
constexpr std::string_view wraps[] = {"Abs", "Add", "BitShift", "BitwiseNot",
                                      "Div", "Mul", "Neg",      "Sub"};
/// Those whose results are of 16 bits, like their operands.
constexpr std::string_view keeps[] = {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "Clip", "Max", "Min",
                                      "Mod",        "ReduceMax", "ReduceMin",  "Where"};
/// Those with other results.
constexpr std::string_view reads[] = {
    "Cast",    "CastLike", "DequantizeLinear", "Equal",       "QuantizeLinear",
    "Greater", "Less",     "GreaterOrEqual",   "LessOrEqual", "Shape",
    "Size"};

bool is_one_of(std::string_view op, std::span<const std::string_view> list) {
  return std::ranges::find(list, op) != list.end();
}
bool takes_narrow(std::string_view op, ElementType type) {
  if (moves(op) || is_one_of(op, reads)) return true;
  return is_16_bits(type) && (is_one_of(op, wraps) || is_one_of(op, keeps));
}

}  // namespace

MLOperand Call::x(std::size_t i) const {
  if (is_narrow(in(i).narrow) && !takes_narrow(node_.op_type, in(i).narrow))
    unsupported(no_type(in(i).narrow));
  return scope_.operand(const_cast<Value&>(in(i)), node_.inputs[i]);
}
std::optional<MLOperand> Call::optional(std::size_t i) const {
  return has(i) ? std::optional(x(i)) : std::nullopt;
}
SizeList Call::sizes(std::size_t i) const {
  if (const auto& e = in(i).empty) return {e->begin(), e->end()};
  return formats::sizes_of(x(i));
}
ops::Sizes Call::shape(std::size_t i) const {
  if (const auto& e = in(i).empty) return *e;
  const Dims d = x(i).shape();
  return {d.begin(), d.end()};
}
MLOperandDataType Call::type(std::size_t i) const {
  return in(i).empty ? in(i).type : x(i).dataType();
}

MLOperand Call::narrowed(const MLOperand& x, ElementType type, bool saturates,
                         std::string_view mode) const {
  return b.custom(operators::narrow(), {x},
                  {.attributes = {{"type", formats::lower_case(name_of_type(type))},
                                  {"saturate", saturates},
                                  {"roundMode", std::string(mode)}},
                   .label = label()})[0];
}

void Call::set(std::size_t i, Value v) const {
  for (std::size_t k = 0; moves(node_.op_type) && k < inputs() && !is_narrow(v.narrow); ++k)
    if (has(k) && is_narrow(in(k).narrow)) v.narrow = in(k).narrow;
  const bool wraps_here = is_one_of(node_.op_type, wraps);
  for (std::size_t k = 0; k < inputs() && v.x && !v.boolean; ++k) {
    if (is_narrow(v.narrow) || !has(k) || !is_16_bits(in(k).narrow)) continue;
    if (!wraps_here && !is_one_of(node_.op_type, keeps)) continue;
    v.narrow = in(k).narrow;
    if (wraps_here) v.x = narrowed(v.x, v.narrow);
  }
  if (has_output(i)) scope_.set(node_.outputs[i], std::move(v));
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
void Call::check_dimensions(const SizeList& list, std::string_view what) const {
  for (const Size& s : list)
    if (s.is_known()) dimension(s.number(), what);
}
std::string Call::shape_text(const MLOperand& x) { return formats::shape_text(x.dimensions()); }
void Call::require_rank(const MLOperand& x, std::uint32_t min, std::uint32_t max) const {
  if (x.rank() < min || x.rank() > max)
    unsupported(fail("its input has shape {}, not {} to {} dimensions", shape_text(x), min, max));
}
void Call::require_floats(const MLOperand& x) const {
  if (!types::floats.contains(x.dataType()))
    unsupported(fail("WebNN computes it with floats alone, not with {}", x.dataType()));
}
void Call::require_broadcast(const MLOperand& x, const Shape& shape, std::string_view name) const {
  const SizeList own = formats::sizes_of(x);
  bool fits = own.size() <= shape.size();
  for (std::size_t back = 1; fits && back <= own.size(); ++back) {
    const Size& size = own[own.size() - back];
    fits = size.is(1) || !differ(size, shape[shape.size() - back]);
  }
  if (!fits)
    refuse(fail("{} has shape {}, which does not broadcast to {}", name, shape_text(x),
                sizes_text(shape)));
}
void Call::require_shape(const MLOperand& x, const Shape& shape, std::string_view name) const {
  if (!may_have_shape(x, shape))
    refuse(fail("{} has shape {}, not {}", name, shape_text(x), sizes_text(shape)));
}
std::string Call::sizes_text(const SizeList& shape) { return formats::text_of(shape); }
bool Call::may_have_shape(const MLOperand& x, const Shape& shape) {
  const SizeList own = formats::sizes_of(x);
  return std::ranges::equal(own, shape, std::not_fn(&Call::differ));
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
MLOperand Call::reshaped(const MLOperand& x, const Shape& shape) const {
  const auto same = [](const Size& a, const Size& s) { return a.same_as(s); };
  if (std::ranges::equal(formats::sizes_of(x), shape, same)) return x;
  if (!x.constant() || !formats::are_known(shape)) return reshape(x, shape);
  // A constant remains one: scales choose integer kernels, and WebNN has no reshape of 4 bits.
  Dims dims = formats::dims_of(shape);
  if (element_count(dims) == element_count(x.shape()))
    return b.constant({x.dataType(), std::move(dims)}, *x.constant());
  return b.reshape(x, std::move(dims));
}
MLOperand Call::reshape(const MLOperand& x, const Shape& shape, std::string label) const {
  check_dimensions(shape);
  return formats::reshape(b, x, shape, {std::move(label)});
}
MLOperand Call::expand(const MLOperand& x, const Shape& shape, std::string label) const {
  check_dimensions(shape);
  return formats::expand(b, x, shape, {std::move(label)});
}
MLOperand Call::numbers(MLOperandDataType type, const Shape& shape, const Size& n,
                        const Size& first) const {
  if (!n.is_known() || !first.is_known())
    return reshaped(formats::numbers(b, type, first, n), shape);
  spend(static_cast<std::uint64_t>(n.number()) * 8);
  Ints list;
  for (std::int64_t i = 0; i < n.number(); ++i) list.push_back(first.number() + i);
  return integers(type, formats::dims_of(shape), list);
}
MLOperand Call::with_one(const MLOperand& x, std::uint32_t axis) const {
  return formats::with_one(b, x, axis);
}
MLOperand Call::without_one(const MLOperand& x, std::uint32_t axis) const {
  return formats::without_one(b, x, axis);
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
    if (y.rank() > 0) require_shape(y, formats::sizes_of(first), "B without broadcast");
    return y;
  }
  const auto from = axis(integer("axis", std::int64_t{first.rank()} - y.rank()), first.rank() + 1);
  if (from + y.rank() > first.rank()) refuse(fail("axis ({}) leaves too few dimensions", from));
  SizeList shape = formats::sizes_of(y);
  shape.resize(first.rank() - from, 1);
  const MLOperand placed = reshaped(y, shape);
  require_broadcast(placed, first, "B");
  return placed;
}
MLOperand Call::sliced(const MLOperand& x, std::uint32_t axis, const Size& start, const Size& size,
                       std::uint32_t stride) const {
  SizeList sizes = formats::sizes_of(x);
  if (start.is(0) && size.same_as(sizes[axis]) && stride == 1) return x;
  SizeList starts(x.rank(), 0);
  Dims strides(x.rank(), 1);
  starts[axis] = start;
  sizes[axis] = size;
  strides[axis] = stride;
  return formats::slice(b, x, starts, sizes, {.strides = strides});
}

std::string Call::label() const {
  std::string_view name = node_.name;
  for (std::string_view output : node_.outputs)
    if (name.empty()) name = output;
  return std::string(truncated(name, 256));
}

}  // namespace webnn::inline v0_1::onnx
