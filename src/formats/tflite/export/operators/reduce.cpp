// Reductions, argMin and argMax, cumulativeSum.
#include <limits>

#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

Axes axes_of(const MLOperand& x, const MLReduceOptions& options) {
  if (options.axes) return *options.axes;
  Axes all(x.rank());
  for (std::uint32_t d = 0; d < x.rank(); ++d) all[d] = d;
  return all;
}

/// `before` on each element, the reduction, `after` on each result.
template <class Op, class Before, class After>
Values reduced(LoweringContext& s, const Op& op, BuiltinOperator code, Before&& before,
               After&& after) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType());
  const bool largest = code == REDUCE_MAX || code == REDUCE_MIN;
  const TensorType work = !largest                     ? addable(type)
                          : type == TensorType::UINT32 ? TensorType::INT64
                                                       : type;
  Value x = before(e.cast(s(op.input), work));
  const Axes axes = axes_of(op.input, op.options);
  if (!axes.empty()) x = e.reduce(code, x, axes, op.options.keepDimensions);
  return e.cast(after(x), type);
}
Value nothing(Value x) { return x; }

template <class Op> Values simple(LoweringContext& s, const Op& op, BuiltinOperator code) {
  if (s.quantized())
    return s.e().reduce(code, s(op.input), axes_of(op.input, op.options), op.options.keepDimensions,
                        s.result());
  return reduced(s, op, code, nothing, nothing);
}

template <class Op> Values extreme_index(LoweringContext& s, const Op& op, BuiltinOperator code) {
  Emitter& e = s.e();
  Dims shape = op.input.shape();
  shape.erase(shape.begin() + op.axis);
  const TensorSpec result{type_of(op.options.outputDataType), shape};
  const std::vector<Value> inputs{s(op.input), e.scalar(TensorType::INT32, op.axis)};
  Value y;
  if (code == ARG_MAX) {
    schema::ArgMaxOptionsT options;
    options.output_type = result.type;
    y = e.emit(code, inputs, result, std::optional(options));
  } else {
    schema::ArgMinOptionsT options;
    options.output_type = result.type;
    y = e.emit(code, inputs, result, std::optional(options));
  }
  return e.reshape(y, s.result().shape);
}

}  // namespace

Values lower(LoweringContext& s, const ops::reduceSum& op) { return simple(s, op, SUM); }
Values lower(LoweringContext& s, const ops::reduceMean& op) { return simple(s, op, MEAN); }
Values lower(LoweringContext& s, const ops::reduceMax& op) { return simple(s, op, REDUCE_MAX); }
Values lower(LoweringContext& s, const ops::reduceMin& op) { return simple(s, op, REDUCE_MIN); }
Values lower(LoweringContext& s, const ops::reduceProduct& op) {
  return simple(s, op, REDUCE_PROD);
}

Values lower(LoweringContext& s, const ops::reduceL1& op) {
  Emitter& e = s.e();
  const bool floats = op.input.dataType() == float32, natural = op.input.dataType() == uint32;
  const auto absolute = [&](Value x) {
    if (floats) return e.unary(ABS, x);
    return natural ? x : e.binary(MAXIMUM, x, e.unary(NEG, x));
  };
  return reduced(s, op, SUM, absolute, nothing);
}
Values lower(LoweringContext& s, const ops::reduceSumSquare& op) {
  return reduced(
      s, op, SUM, [&](Value x) { return s.e().binary(MUL, x, x); }, nothing);
}
Values lower(LoweringContext& s, const ops::reduceL2& op) {
  return reduced(
      s, op, SUM, [&](Value x) { return s.e().binary(MUL, x, x); },
      [&](Value x) { return s.e().unary(SQRT, x); });
}
Values lower(LoweringContext& s, const ops::reduceLogSum& op) {
  return reduced(s, op, SUM, nothing, [&](Value x) { return s.e().unary(LOG, x); });
}

/// log(sum(exp(x - m))) + m with the largest element m, so that nothing overflows.
Values lower(LoweringContext& s, const ops::reduceLogSumExp& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  const Axes axes = axes_of(op.input, op.options);
  if (axes.empty()) return x;
  // Finite, or minus infinity minus itself would be NaN.
  const Value max = e.binary(MAXIMUM, e.reduce(REDUCE_MAX, x, axes, true),
                             double{std::numeric_limits<float>::lowest()});
  const Value sum = e.reduce(SUM, e.unary(EXP, e.binary(SUB, x, max)), axes, true);
  return e.reshape(e.binary(ADD, e.unary(LOG, sum), max), s.result().shape);
}

Values lower(LoweringContext& s, const ops::argMin& op) { return extreme_index(s, op, ARG_MIN); }
Values lower(LoweringContext& s, const ops::argMax& op) { return extreme_index(s, op, ARG_MAX); }

Values lower(LoweringContext& s, const ops::cumulativeSum& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType());
  const Value x = e.cast(s(op.input), movable(type));
  schema::CumsumOptionsT options;
  options.exclusive = op.options.exclusive;
  options.reverse = op.options.reversed;
  const Value axis = e.scalar(TensorType::INT32, op.axis);
  return e.cast(e.emit(CUMSUM, {x, axis}, e.spec(x), std::optional(options)), type);
}

}  // namespace webnn::inline v0_1::tflite::exporter
