// Operators that move elements.
#include <algorithm>

#include "src/formats/onnx/export/lower.h"

namespace webnn::inline v0_1::onnx::exporter {

Values lower(LoweringContext& s, const ops::concat& op) {
  std::vector<Value> parts;
  for (const MLOperand& x : op.inputs) parts.push_back(s(x));
  return s.e().concat(std::move(parts), op.axis);
}
Values lower(LoweringContext& s, const ops::expand& op) {
  return s.e().expand(s(op.input), s.shape());
}
Values lower(LoweringContext& s, const ops::reshape& op) {
  return s.e().reshape(s(op.input), s.shape());
}
Values lower(LoweringContext& s, const ops::reverse& op) {
  return s.e().reverse(s(op.input), axes_or_all(op.options.axes, op.input.rank()));
}
Values lower(LoweringContext& s, const ops::slice& op) {
  const auto& strides = op.options.strides;
  Dims ends, steps(op.starts.size(), 1);
  for (std::size_t d = 0; d < op.starts.size(); ++d) ends.push_back(op.starts[d] + op.sizes[d]);
  if (strides) steps = *strides;
  return s.e().slice(s(op.input), op.starts, ends, steps);
}
Values lower(LoweringContext& s, const ops::split& op) {
  Ints sizes;
  for (const Dims& y : s.shapes()) sizes.push_back(y[op.options.axis]);
  Emitter& e = s.e();
  const auto count = static_cast<std::int64_t>(sizes.size());
  if (s.is_open(op.input, op.options.axis) && std::holds_alternative<std::uint32_t>(op.splits))
    return e.nodes("Split", {s(op.input)}, s.type(), s.shapes(),
                   {{"axis", std::int64_t{op.options.axis}}, {"num_outputs", count}});
  return e.nodes("Split", {s(op.input), e.ints(sizes)}, s.type(), s.shapes(),
                 {{"axis", std::int64_t{op.options.axis}}});
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
