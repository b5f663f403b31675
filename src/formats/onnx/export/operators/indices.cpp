// Operators with indices. WebNN limits them to the range, ONNX asks for indices within it; below 0
// both count from the end.
#include <algorithm>
#include <cstring>

#include "src/formats/onnx/export/library_operators.h"
#include "src/formats/onnx/export/with_sizes.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

/// Whether all indices are in [-sizes[i], sizes[i]), where i runs along the last dimension.
bool within(const Constant& indices, MLOperandDataType type, const Dims& sizes) {
  const auto bytes = indices.bytes();
  const auto check = [&]<class T>(T v) {
    for (std::size_t i = 0; i < bytes.size() / sizeof v; ++i) {
      std::memcpy(&v, &bytes[i * sizeof v], sizeof v);
      const auto size = static_cast<std::int64_t>(sizes[i % sizes.size()]);
      if (static_cast<std::int64_t>(v) < -size || static_cast<std::int64_t>(v) >= size)
        return false;
    }
    return true;
  };
  if (type == int64) return check(std::int64_t{});
  return type == int32 ? check(std::int32_t{}) : check(std::uint32_t{});
}

/// Whether they are limited to that already.
bool is_clamped(LoweringContext& s, const MLOperand& indices, const Dims& sizes) {
  const auto node = s.producer_of(indices);
  const auto* op = node ? node->as<ops::clamp>() : nullptr;
  if (!op || !op->options.minValue || !op->options.maxValue) return false;
  const std::uint32_t size = *std::min_element(sizes.begin(), sizes.end());
  return !(MLNumber(-std::int64_t{size}) > *op->options.minValue) &&
         MLNumber(size) > *op->options.maxValue;
}

/// Indices of dimensions of those sizes, one or as many as the last dimension has, within them.
Value limited(LoweringContext& s, const MLOperand& operand, const Dims& sizes, bool only_int64) {
  Emitter& e = s.e();
  Value x = s(operand);
  const bool wide = only_int64 || operand.dataType() == uint32;
  const Constant* bytes = e.constant_of(x);
  const bool fits =
      bytes ? within(*bytes, operand.dataType(), sizes) : is_clamped(s, operand, sizes);
  if (wide) x = e.cast(x, int64);
  if (fits) return x;
  const MLOperandDataType type = e.type(x);
  Ints low, high;
  for (const std::uint32_t size : sizes) {
    low.push_back(-std::int64_t{size});
    high.push_back(std::int64_t{size} - 1);
  }
  if (std::equal(sizes.begin() + 1, sizes.end(), sizes.begin()))
    return e.like("Clip", {x, e.scalar(type, low[0]), e.scalar(type, high[0])});
  return e.like("Min", {e.like("Max", {x, e.ints(low)}), e.ints(high)});
}
/// Indices of the first dimensions of x, as many as the last dimension of the indices has.
Value limited_in_all(LoweringContext& s, const MLOperand& x, const MLOperand& indices) {
  const std::uint32_t n = indices.shape().back();
  bool open = false;
  for (std::uint32_t d = 0; d < n; ++d) open = open || s.is_open(x, d);
  if (!open) return limited(s, indices, {x.shape().begin(), x.shape().begin() + n}, true);
  Emitter& e = s.e();
  const Value sizes = e.node("Shape", {s(x)}, int64, Dims{n},
                             {{"start", std::int64_t{0}}, {"end", std::int64_t{n}}});
  const Value low = e.like("Neg", {sizes}), high = e.binary("Sub", sizes, e.int64_scalar(1));
  return e.binary("Min", e.binary("Max", e.cast(s(indices), int64), low), high);
}
/// Indices whose dimensions off the axis are those of x. ONNX takes fewer of them, too.
Value checked(LoweringContext& s, Value indices, const MLOperand& operand, const MLOperand& x,
              std::uint32_t axis) {
  for (std::uint32_t d = 0; d < x.rank(); ++d) {
    if (d == axis || s.are_same(operand, d, x, d)) continue;
    if (s.is_open(operand, d) || s.is_open(x, d))
      indices = with_size_of(s.e(), indices, d, s(x), d);
  }
  return indices;
}
/// Indices of one dimension of x, which may be open.
Value limited_along(LoweringContext& s, const MLOperand& x, const MLOperand& indices,
                    std::uint32_t axis) {
  if (!s.is_open(x, axis)) return limited(s, indices, {x.shape()[axis]}, false);
  Emitter& e = s.e();
  const Value places = e.cast(s(indices), int64), size = e.dimension(s(x), axis);
  const Value low = e.like("Neg", {size}), high = e.binary("Sub", size, e.int64_scalar(1));
  return e.binary("Min", e.binary("Max", places, low), high);
}
Attributes axis_of(std::uint32_t axis) { return {{"axis", std::int64_t{axis}}}; }

}  // namespace

Values lower(LoweringContext& s, const ops::gather& op) {
  const std::uint32_t axis = op.options.axis;
  const Value indices = limited_along(s, op.input, op.indices, axis);
  return s.e().like("Gather", {s(op.input), indices}, s.shape(), axis_of(axis));
}
Values lower(LoweringContext& s, const ops::gatherElements& op) {
  const std::uint32_t axis = op.options.axis;
  const Value limited = limited_along(s, op.input, op.indices, axis);
  const Value indices = checked(s, limited, op.indices, op.input, axis);
  return s.e().like("GatherElements", {s(op.input), indices}, s.shape(), axis_of(axis));
}
Values lower(LoweringContext& s, const ops::gatherND& op) {
  const Value indices = limited_in_all(s, op.input, op.indices);
  return s.e().like("GatherND", {s(op.input), indices}, s.shape());
}
Values lower(LoweringContext& s, const ops::scatterElements& op) {
  const std::uint32_t axis = op.options.axis;
  const Value limited = limited_along(s, op.input, op.indices, axis);
  const Value indices = checked(s, limited, op.indices, op.input, axis);
  return s.e().like("ScatterElements", {s(op.input), indices, s(op.updates)}, axis_of(axis));
}
Values lower(LoweringContext& s, const ops::scatterND& op) {
  const Value indices = limited_in_all(s, op.input, op.indices);
  return s.e().like("ScatterND", {s(op.input), indices, s(op.updates)});
}

Values scatter_elements(LoweringContext& s, const ops::custom& op, std::uint32_t axis,
                        std::string_view reduction) {
  const MLOperand &x = op.inputs[0], &places = op.inputs[1];
  const Value indices = checked(s, limited_along(s, x, places, axis), places, x, axis);
  Attributes attributes = axis_of(axis);
  attributes.push_back({"reduction", reduction});
  return s.e().like("ScatterElements", {s(x), indices, s(op.inputs[2])}, std::move(attributes));
}
Values scatter_nd(LoweringContext& s, const ops::custom& op, std::string_view reduction) {
  const Value indices = limited_in_all(s, op.inputs[0], op.inputs[1]);
  return s.e().like("ScatterND", {s(op.inputs[0]), indices, s(op.inputs[2])},
                    {{"reduction", reduction}});
}

}  // namespace webnn::inline v0_1::onnx::exporter
