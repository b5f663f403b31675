// Reductions and normalizations, from the mean, the maximum and the place of the maximum of the
// rows of an image.
#include <cmath>

#include "src/formats/executorch/export/lower.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::executorch::exporter {

Value normalized(Emitter& e, Value x, Value mean, Value variance, double epsilon, Value scale,
                 Value bias) {
  const Value root = e.unary(Kind::ReciprocalSquareRoot, e.binary(Kind::Add, variance, epsilon));
  Value y = e.binary(Kind::Multiply, e.binary(Kind::Subtract, x, mean), root);
  if (scale) y = e.binary(Kind::Multiply, y, scale);
  if (bias) y = e.binary(Kind::Add, y, bias);
  return y;
}

namespace {

bool is_float(const MLOperand& x) { return types::floats.contains(x.dataType()); }

Value largest(Emitter& e, Value x, const Dims& axes) {
  return e.reduce(x, axes, [&](Value rows) {
    const Dims shape = e.shape(rows);
    if (shape[1] == 1) return rows;
    const Sliding down{shape[1], shape[1], 1, 0, 0};
    return e.pool(Kind::MaxPooling2d, rows, down, {}, {e.type(x), {shape[0], 1, 1, 1}, {}}, {});
  });
}

double count_of(const MLOperand& x, const Dims& axes) {
  double n = 1;
  for (const std::uint32_t a : axes) n *= x.shape()[a];
  return n;
}

/// before, the sum over the axes, and behind.
template <class Op, class Before, class Behind>
Values sum_of(LoweringContext& s, const Op& op, Before&& before, Behind&& behind) {
  if (!is_float(op.input))
    return s.refuse(fail("XNNPACK has it for floats, not for {}", op.input.dataType()));
  Emitter& e = s.e();
  const Dims axes = axes_or_all(op.options.axes, op.input.rank());
  const Value x = before(s(op.input));
  Value sum = e.mean(x, axes);
  if (const double n = count_of(op.input, axes); n != 1) sum = e.binary(Kind::Multiply, sum, n);
  const Value y = e.reshape(behind(sum), s.result().shape);
  return y == s(op.input) ? e.unary(Kind::Copy, y) : y;
}
constexpr auto same = [](Value x) { return x; };

template <class Op> Values extreme(LoweringContext& s, const Op& op, bool negated) {
  if (!is_float(op.input))
    return s.refuse(fail("XNNPACK has it for floats, not for {}", op.input.dataType()));
  Emitter& e = s.e();
  const Dims axes = axes_or_all(op.options.axes, op.input.rank());
  const Value given = s(op.input);
  const Value x = negated ? e.unary(Kind::Negate, given) : given;
  Value y = e.reshape(largest(e, x, axes), s.result().shape);
  if (negated) return e.unary(Kind::Negate, y);
  return y == given ? e.unary(Kind::Copy, y) : y;
}

template <class Op> Values place_of(LoweringContext& s, const Op& op, bool negated) {
  if (op.options.outputDataType != int32)
    return s.refuse(fail("XNNPACK's indices are int32, not {}", op.options.outputDataType));
  if (!is_float(op.input))
    return s.refuse(fail("XNNPACK has it for floats, not for {}", op.input.dataType()));
  Emitter& e = s.e();
  const Value x = negated ? e.unary(Kind::Negate, s(op.input)) : s(op.input);
  if (op.input.shape()[op.axis] == 1)
    return s.refuse(fail("XNNPACK has no windows of one element"));
  const Value y =
      e.reduce(x, {op.axis}, [&](Value rows) { return e.arg_max(rows, e.shape(rows)[1]); });
  return e.reshape(y, s.result().shape);
}

}  // namespace

Values lower(LoweringContext& s, const ops::reduceMean& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  const Value y =
      e.reshape(e.mean(x, axes_or_all(op.options.axes, op.input.rank())), s.result().shape);
  return y == x ? e.unary(Kind::Copy, y) : y;
}
Values lower(LoweringContext& s, const ops::reduceSum& op) { return sum_of(s, op, same, same); }
Values lower(LoweringContext& s, const ops::reduceL1& op) {
  return sum_of(
      s, op, [&](Value x) { return s.e().unary(Kind::Abs, x); }, same);
}
Values lower(LoweringContext& s, const ops::reduceL2& op) {
  return sum_of(
      s, op, [&](Value x) { return s.e().unary(Kind::Square, x); },
      [&](Value x) { return s.e().unary(Kind::SquareRoot, x); });
}
Values lower(LoweringContext& s, const ops::reduceSumSquare& op) {
  return sum_of(
      s, op, [&](Value x) { return s.e().unary(Kind::Square, x); }, same);
}
Values lower(LoweringContext& s, const ops::reduceLogSum& op) {
  return sum_of(s, op, same, [&](Value x) { return s.e().unary(Kind::Log, x); });
}
/// The largest element is subtracted first and added behind, so that nothing overflows.
Values lower(LoweringContext& s, const ops::reduceLogSumExp& op) {
  Emitter& e = s.e();
  const Dims axes = axes_or_all(op.options.axes, op.input.rank());
  Value most;
  return sum_of(
      s, op,
      [&](Value x) {
        most = largest(e, x, axes);
        return e.unary(Kind::Exp, e.binary(Kind::Subtract, x, most));
      },
      [&](Value sum) { return e.binary(Kind::Add, e.unary(Kind::Log, sum), most); });
}
Values lower(LoweringContext& s, const ops::reduceMax& op) { return extreme(s, op, false); }
Values lower(LoweringContext& s, const ops::reduceMin& op) { return extreme(s, op, true); }
Values lower(LoweringContext& s, const ops::argMax& op) { return place_of(s, op, false); }
Values lower(LoweringContext& s, const ops::argMin& op) { return place_of(s, op, true); }

namespace {

/// A vector along one dimension.
Value along(LoweringContext& s, const std::optional<MLOperand>& v, std::size_t rank,
            std::uint32_t axis) {
  if (!v) return {};
  Dims shape(rank, 1);
  shape[axis] = v->shape()[0];
  return s.e().reshape(s(*v), shape);
}

Value squares(Emitter& e, Value x, Value mean, const Dims& axes) {
  return e.mean(e.unary(Kind::Square, e.binary(Kind::Subtract, x, mean)), axes);
}

}  // namespace

Values lower(LoweringContext& s, const ops::batchNormalization& op) {
  const auto& o = op.options;
  const std::size_t rank = op.input.rank();
  return normalized(s.e(), s(op.input), along(s, op.mean, rank, o.axis),
                    along(s, op.variance, rank, o.axis), o.epsilon, along(s, o.scale, rank, o.axis),
                    along(s, o.bias, rank, o.axis));
}

Values lower(LoweringContext& s, const ops::instanceNormalization& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value x = to_image(e, s(op.input), o.layout);
  const Spec small{e.type(x), {e.shape(x)[0], 1, 1, e.shape(x)[3]}, {}};
  const Value mean = e.unary(Kind::GlobalAvgPooling2d, x, small);
  const Value difference = e.binary(Kind::Subtract, x, mean);
  const Value variance =
      e.unary(Kind::GlobalAvgPooling2d, e.unary(Kind::Square, difference), small);
  const Value y =
      normalized(e, x, mean, variance, o.epsilon, along(s, o.scale, 4, 3), along(s, o.bias, 4, 3));
  return from_image(e, y, o.layout);
}

Values lower(LoweringContext& s, const ops::layerNormalization& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const std::uint32_t rank = op.input.rank();
  Dims axes;
  if (o.axes) axes = *o.axes;
  else
    for (std::uint32_t d = 1; d < rank; ++d) axes.push_back(d);
  const Value x = s(op.input);
  // Scale and bias have the sizes of the axes, in their order.
  const auto whole = [&](const std::optional<MLOperand>& v) -> Value {
    if (!v) return {};
    Dims order = identity_order(axes.size()), shape(rank, 1);
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return axes[a] < axes[b]; });
    for (const std::uint32_t a : axes) shape[a] = op.input.shape()[a];
    return e.reshape(e.transpose(s(*v), order), shape);
  };
  const Value mean = e.mean(x, axes);
  return normalized(e, x, mean, squares(e, x, mean, axes), o.epsilon, whole(o.scale),
                    whole(o.bias));
}

}  // namespace webnn::inline v0_1::executorch::exporter
