// Operators that move elements.
#include <algorithm>

#include "src/formats/onnx/export/with_sizes.h"

namespace webnn::inline v0_1::onnx::exporter {

Values lower(LoweringContext& s, const ops::concat& op) {
  std::vector<Value> parts;
  for (const MLOperand& x : op.inputs) parts.push_back(s(x));
  return s.e().concat(std::move(parts), op.axis);
}
/// ONNX broadcasts to both sides: the shape is compared where a dimension of 1 may be meant.
Values lower(LoweringContext& s, const ops::expand& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  if (!s.is_open(op.input)) return e.expand(x, s.shape());
  const Value y = e.like("Expand", {x, e.ints(op.newShape)}, op.newShape);
  Ints shape(op.newShape.size(), 0);
  const std::size_t more = op.newShape.size() - op.input.rank();
  for (std::uint32_t d = 0; d < op.input.rank(); ++d)
    if (s.is_open(op.input, d) && op.newShape[more + d] == 1) shape[more + d] = 1;
  const bool any = std::ranges::find(shape, 1) != shape.end();
  return any ? with_sizes(e, y, e.ints(shape), op.newShape) : y;
}
/// It is written where an open dimension has the right size by chance, too.
Values lower(LoweringContext& s, const ops::reshape& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  if (!s.is_open(op.input)) return e.reshape(x, s.shape());
  return e.like("Reshape", {x, e.ints(op.newShape)}, op.newShape);
}
Values lower(LoweringContext& s, const ops::reverse& op) {
  return s.e().reverse(s(op.input), axes_or_all(op.options.axes, op.input.rank()));
}
namespace {

/// ONNX cuts off what lies behind the end: sizes along open dimensions are compared before steps
/// are taken.
Value slice_of_open(LoweringContext& s, const ops::slice& op, const Dims& ends, const Dims& steps) {
  Emitter& e = s.e();
  Dims axes, shape = op.input.shape();
  Ints sizes(shape.size(), 0);
  for (std::uint32_t d = 0; d < shape.size(); ++d) {
    const bool open = s.is_open(op.input, d);
    if (open) sizes[d] = op.sizes[d];
    if (open || op.sizes[d] != shape[d]) axes.push_back(d);
    shape[d] = op.sizes[d];
  }
  const auto of = [&](const Dims& all) { return e.ints(permuted(all, axes)); };
  Value y = e.like("Slice", {s(op.input), of(op.starts), of(ends), e.ints(axes)}, shape);
  y = with_sizes(e, y, e.ints(sizes), shape);
  return e.slice(y, Dims(shape.size(), 0), shape, steps);
}

}  // namespace

Values lower(LoweringContext& s, const ops::slice& op) {
  const auto& strides = op.options.strides;
  Dims ends, steps(op.starts.size(), 1);
  for (std::size_t d = 0; d < op.starts.size(); ++d) ends.push_back(op.starts[d] + op.sizes[d]);
  if (strides) steps = *strides;
  if (s.is_open(op.input)) return slice_of_open(s, op, ends, steps);
  return s.e().slice(s(op.input), op.starts, ends, steps);
}
/// Parts of an open dimension have computed sizes: with num_outputs alone the last one may be
/// smaller.
Values lower(LoweringContext& s, const ops::split& op) {
  Ints sizes;
  const std::uint32_t axis = op.options.axis;
  for (const Dims& y : s.shapes()) sizes.push_back(y[axis]);
  Emitter& e = s.e();
  const Value x = s(op.input);
  Value list;
  if (s.is_open(op.input, axis) && std::holds_alternative<std::uint32_t>(op.splits)) {
    const auto count = static_cast<std::uint32_t>(sizes.size());
    const Value part = e.binary("Div", e.dimension(x, axis), e.int64_scalar(count));
    list = e.like("Expand", {part, e.ints(Ints{count})}, Dims{count});
  } else {
    list = e.ints(sizes);
  }
  return e.nodes("Split", {x, list}, s.type(), s.shapes(), {{"axis", std::int64_t{axis}}});
}
Values lower(LoweringContext& s, const ops::tile& op) {
  Emitter& e = s.e();
  return e.like("Tile", {s(op.input), e.ints(op.repetitions)}, s.shape());
}
Values lower(LoweringContext& s, const ops::transpose& op) {
  Dims order = identity_order(op.input.rank());
  std::reverse(order.begin(), order.end());
  const auto& given = op.options.permutation;
  return s.e().transpose(s(op.input), given ? Dims(*given) : order);
}
Values lower(LoweringContext& s, const ops::triangular& op) {
  return s.e().like("Trilu", {s(op.input), s.e().int64_scalar(op.options.diagonal)},
                    {{"upper", std::int64_t{op.options.upper}}});
}
Values lower(LoweringContext& s, const ops::pad& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const bool constant = o.mode == MLPaddingMode::constant;
  const Value value = constant ? e.scalar(s.type(), o.value) : Value();
  return e.pad(s(op.input), op.beginningPadding, op.endingPadding, pad_mode(o.mode), value);
}
Values lower(LoweringContext& s, const ops::cumulativeSum& op) {
  return s.e().like("CumSum", {s(op.input), s.e().int64_scalar(op.axis)},
                    {{"exclusive", std::int64_t{op.options.exclusive}},
                     {"reverse", std::int64_t{op.options.reversed}}});
}

}  // namespace webnn::inline v0_1::onnx::exporter
