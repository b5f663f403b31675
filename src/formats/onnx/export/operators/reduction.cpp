// Reductions, the places of the least and largest elements, and normalizations.
#include <algorithm>

#include "src/formats/onnx/export/lower.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

template <class Op>
Values reduce(LoweringContext& s, const Op& op, std::string_view name, const Dims& axes) {
  Emitter& e = s.e();
  return e.like(name, {s(op.input), e.ints(axes)}, s.shape(),
                {{"keepdims", std::int64_t{op.options.keepDimensions}}});
}
/// Over no dimensions: over one of size 1, so that an element is still reduced (a sum of -0 is 0).
template <class Op> Values reduce(LoweringContext& s, const Op& op, std::string_view name) {
  const Dims axes = axes_or_all(op.options.axes, op.input.rank());
  if (!axes.empty()) return reduce(s, op, name, axes);
  Emitter& e = s.e();
  const auto n = static_cast<std::uint32_t>(element_count(s.shape()));
  const Value y = e.like(name, {e.reshape(s(op.input), {n, 1}), e.ints(Dims{1})}, {n},
                         {{"keepdims", std::int64_t{0}}});
  return e.reshape(y, s.shape());
}

template <class Op> Values place(LoweringContext& s, const Op& op, std::string_view name) {
  Emitter& e = s.e();
  const Value y = e.node(
      name, {s(op.input)}, int64, s.shape(),
      {{"axis", std::int64_t{op.axis}}, {"keepdims", std::int64_t{op.options.keepDimensions}}});
  return e.cast(y, s.type());
}

Attribute epsilon_of(double v) { return {"epsilon", static_cast<float>(v)}; }
Value or_filled(LoweringContext& s, const std::optional<MLOperand>& x, const Dims& shape,
                double v) {
  return x ? s(*x) : s.e().filled(s.type(), shape, v);
}

}  // namespace

Values lower(LoweringContext& s, const ops::reduceL1& op) { return reduce(s, op, "ReduceL1"); }
Values lower(LoweringContext& s, const ops::reduceL2& op) { return reduce(s, op, "ReduceL2"); }
Values lower(LoweringContext& s, const ops::reduceLogSum& op) {
  return reduce(s, op, "ReduceLogSum");
}
Values lower(LoweringContext& s, const ops::reduceLogSumExp& op) {
  return reduce(s, op, "ReduceLogSumExp");
}
Values lower(LoweringContext& s, const ops::reduceMax& op) { return reduce(s, op, "ReduceMax"); }
Values lower(LoweringContext& s, const ops::reduceMean& op) { return reduce(s, op, "ReduceMean"); }
Values lower(LoweringContext& s, const ops::reduceMin& op) { return reduce(s, op, "ReduceMin"); }
Values lower(LoweringContext& s, const ops::reduceProduct& op) {
  return reduce(s, op, "ReduceProd");
}
Values lower(LoweringContext& s, const ops::reduceSum& op) { return reduce(s, op, "ReduceSum"); }
Values lower(LoweringContext& s, const ops::reduceSumSquare& op) {
  return reduce(s, op, "ReduceSumSquare");
}
Values lower(LoweringContext& s, const ops::argMax& op) { return place(s, op, "ArgMax"); }
Values lower(LoweringContext& s, const ops::argMin& op) { return place(s, op, "ArgMin"); }

/// ONNX's channels are the second dimension.
Values lower(LoweringContext& s, const ops::batchNormalization& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Dims channels{op.input.shape()[o.axis]};
  const Value given = s(op.input);
  const bool vector = op.input.rank() == 1;
  const Value x = vector ? e.reshape(given, {1, channels[0]}) : e.exchanged(given, 1, o.axis);
  const Value y = e.like("BatchNormalization",
                         {x, or_filled(s, o.scale, channels, 1), or_filled(s, o.bias, channels, 0),
                          s(op.mean), s(op.variance)},
                         {epsilon_of(o.epsilon)});
  return vector ? e.reshape(y, s.shape()) : e.exchanged(y, 1, o.axis);
}

Values lower(LoweringContext& s, const ops::instanceNormalization& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const bool nhwc = o.layout == MLInputOperandLayout::nhwc;
  Value x = s(op.input);
  if (nhwc) x = e.to_nchw(x);
  const Dims channels{e.shape(x)[1]};
  const Value y = e.like("InstanceNormalization",
                         {x, or_filled(s, o.scale, channels, 1), or_filled(s, o.bias, channels, 0)},
                         {epsilon_of(o.epsilon)});
  return nhwc ? e.to_nhwc(y) : y;
}

namespace {

/// Over no dimensions an element is its own mean.
Value of_one(LoweringContext& s, const ops::layerNormalization& op) {
  Emitter& e = s.e();
  const Value x = s(op.input), zero = e.binary("Sub", x, x);
  const Value root = e.like("Sqrt", {e.scalar_like(x, op.options.epsilon)});
  Value y = e.binary("Div", zero, root);
  if (op.options.scale) y = e.binary("Mul", y, s(*op.options.scale));
  return op.options.bias ? e.binary("Add", y, s(*op.options.bias)) : y;
}

}  // namespace

/// Over the last dimensions, where the axes are brought.
Values lower(LoweringContext& s, const ops::layerNormalization& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Dims axes = ops::axes_of(op);
  if (axes.empty()) return of_one(s, op);
  Dims order, sizes;
  for (std::uint32_t d = 0; d < op.input.rank(); ++d)
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) order.push_back(d);
  const auto first = static_cast<std::int64_t>(order.size());
  order.insert(order.end(), axes.begin(), axes.end());
  for (const std::uint32_t a : axes) sizes.push_back(op.input.shape()[a]);
  std::vector<Value> inputs{e.transpose(s(op.input), order), or_filled(s, o.scale, sizes, 1)};
  if (o.bias) inputs.push_back(s(*o.bias));
  const Value y =
      e.like("LayerNormalization", std::move(inputs), {{"axis", first}, epsilon_of(o.epsilon)});
  return e.transpose(y, inverse(order));
}

}  // namespace webnn::inline v0_1::onnx::exporter
