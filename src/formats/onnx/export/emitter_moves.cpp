// The nodes of Emitter that move elements.
#include <algorithm>
#include <cstring>
#include <limits>

#include "src/formats/onnx/export/emitter.h"

namespace webnn::inline v0_1::onnx::exporter {

namespace {

std::size_t bytes_of_element(MLOperandDataType type) {
  return static_cast<std::size_t>(bits_of(type)) / 8;
}

}  // namespace

/// The elements of a constant in another order or shape, with its name.
Value Emitter::rearranged(Value x, const Dims& to, Constant bytes) {
  const Value y = constant(type(x), to, std::move(bytes));
  values_[at(y)].name = data(x).name;
  return y;
}

/// Integers are transposed before DequantizeLinear, where they have one scale or one for each index
/// of an axis: what reads x still reads DequantizeLinear, as quantized operators do.
Value Emitter::operand_transposed(Value x, const Dims& permutation) {
  if (data(x).node < 0 || is_identity(permutation)) return transpose(x, permutation);
  const NodeData& n = nodes_[static_cast<std::size_t>(data(x).node)];
  if (n.op != "DequantizeLinear" || n.attributes.size() > 1) return transpose(x, permutation);
  std::vector<Value> inputs = n.inputs;
  if (bits_of(type(inputs[0])) < 8) return transpose(x, permutation);
  Attributes attributes = n.attributes;
  for (Attribute& a : attributes) {
    const auto axis = static_cast<std::uint32_t>(std::get<std::int64_t>(a.value));
    const auto place = std::find(permutation.begin(), permutation.end(), axis);
    a.value = static_cast<std::int64_t>(place - permutation.begin());
  }
  inputs[0] = transpose(inputs[0], permutation);
  return node("DequantizeLinear", std::move(inputs), data(x).type, permuted(shape(x), permutation),
              std::move(attributes));
}

Value Emitter::transpose(Value x, const Dims& permutation) {
  if (is_identity(permutation)) return x;
  const Dims from = shape(x), to = permuted(from, permutation);
  const Constant* bytes = constant_of(x);
  if (!bytes || bits_of(type(x)) < 8)
    return like("Transpose", {x}, to, {{"perm", ints_of(permutation)}});
  return rearranged(x, to,
                    formats::transposed(*bytes, from, bytes_of_element(type(x)), permutation));
}
Value Emitter::to_nchw(Value x) {
  return data(x).nchw ? data(x).nchw : operand_transposed(x, nhwc_to_nchw);
}
Value Emitter::to_nhwc(Value x) {
  const Value y = transpose(x, nchw_to_nhwc);
  if (!constant_of(y)) values_[at(y)].nchw = x;
  return y;
}

/// Takes the operands in nchw for a node that works element by element, if there is one and the
/// others are like it or single elements.
bool Emitter::take_nchw(std::string_view op, std::vector<Value>& inputs,
                        const Attributes& attributes) const {
  static constexpr std::string_view elementwise[] = {
      "Abs",   "Add",   "Cast",        "Ceil",      "Clip",      "Div",  "Elu", "Erf", "Exp",
      "Floor", "Gelu",  "HardSigmoid", "HardSwish", "LeakyRelu", "Max",  "Min", "Mul", "Neg",
      "Relu",  "Round", "Sigmoid",     "Softplus",  "Softsign",  "Sqrt", "Sub", "Tanh"};
  const bool quantizes = op == "QuantizeLinear" || op == "DequantizeLinear";
  if (quantizes
          ? !attributes.empty()
          : std::find(std::begin(elementwise), std::end(elementwise), op) == std::end(elementwise))
    return false;
  std::vector<Value> taken = inputs;
  bool any = false;
  for (Value& x : taken) {
    if (!x || (rank(x) == 0 && !data(x).nchw)) continue;
    if (!data(x).nchw || shape(x) != shape(inputs[0])) return false;
    x = data(x).nchw;
    any = true;
  }
  if (any) inputs = std::move(taken);
  return any;
}

Value Emitter::exchanged(Value x, std::uint32_t a, std::uint32_t b) {
  Dims order = identity_order(rank(x));
  std::swap(order[a], order[b]);
  return transpose(x, order);
}

Value Emitter::reshape(Value x, const Dims& to) {
  if (shape(x) == to) return x;
  if (const Constant* bytes = constant_of(x)) return rearranged(x, to, *bytes);
  return like("Reshape", {x, ints(to)}, to);
}

Value Emitter::expand(Value x, const Dims& to) {
  return shape(x) == to ? x : like("Expand", {x, ints(to)}, to);
}

Value Emitter::slice(Value x, const Dims& starts, const Dims& ends, const Dims& steps) {
  Dims to, axes;
  for (std::uint32_t d = 0; d < starts.size(); ++d) {
    to.push_back((ends[d] - starts[d] - 1) / steps[d] + 1);
    if (to[d] != shape(x)[d]) axes.push_back(d);
  }
  if (axes.empty()) return x;
  const auto of = [&](const Dims& all) { return ints(permuted(all, axes)); };
  return like("Slice", {x, of(starts), of(ends), ints(axes), of(steps)}, to);
}

Value Emitter::taken(Value x, const Dims& places, std::uint32_t axis) {
  Dims to = shape(x);
  const std::uint32_t from = to[axis];
  to[axis] = static_cast<std::uint32_t>(places.size());
  if (places == identity_order(from)) return x;
  const Constant* bytes = constant_of(x);
  if (!bytes || bits_of(type(x)) < 8)
    return like("Gather", {x, ints(places)}, to, {{"axis", std::int64_t{axis}}});
  // Rows of elements that stay together.
  std::size_t row = bytes_of_element(type(x));
  for (std::size_t d = axis + 1; d < to.size(); ++d) row *= to[d];
  std::vector<std::byte> moved(byte_length({type(x), to}));
  const std::size_t blocks = bytes->bytes().size() / (row * from);
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t i = 0; i < places.size(); ++i)
      std::memcpy(&moved[(b * places.size() + i) * row],
                  &bytes->bytes()[(b * from + places[i]) * row], row);
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(moved));
  return rearranged(x, to, Constant(owner, *owner));
}

Value Emitter::reverse(Value x, const Dims& axes) {
  if (axes.empty()) return x;
  const std::size_t n = axes.size();
  return like("Slice",
              {x, ints(Ints(n, -1)), ints(Ints(n, std::numeric_limits<std::int64_t>::min())),
               ints(axes), ints(Ints(n, -1))});
}

Value Emitter::reverse_list(Value x) {
  if (constant_of(x)) return taken(x, {1, 0}, 0);
  return reverse(x, {0});
}

Value Emitter::dimension(Value x, std::uint32_t axis) {
  const std::int64_t begin = axis;
  const Value list = node("Shape", {x}, int64, Dims{1}, {{"start", begin}, {"end", begin + 1}});
  return node("Squeeze", {list, ints(Ints{0})}, int64, Dims());
}

Value Emitter::concat(std::vector<Value> parts, std::uint32_t axis) {
  Dims to = shape(parts[0]);
  to[axis] = 0;
  for (const Value x : parts) to[axis] += shape(x)[axis];
  const auto is_nhwc = [&](Value x) { return bool(data(x).nchw); };
  if (std::all_of(parts.begin(), parts.end(), is_nhwc)) {
    for (Value& x : parts) x = data(x).nchw;
    return to_nhwc(concat(std::move(parts), nchw_to_nhwc[axis]));
  }
  return like("Concat", std::move(parts), to, {{"axis", std::int64_t{axis}}});
}

Value Emitter::pad(Value x, const Dims& before, const Dims& after, std::string_view mode,
                   Value value) {
  Dims to = shape(x), pads = before;
  pads.insert(pads.end(), after.begin(), after.end());
  for (std::size_t d = 0; d < to.size(); ++d) to[d] += before[d] + after[d];
  if (to == shape(x)) return x;
  std::vector<Value> inputs{x, ints(pads)};
  if (value) inputs.push_back(value);
  return like("Pad", std::move(inputs), to, {{"mode", mode}});
}

}  // namespace webnn::inline v0_1::onnx::exporter
