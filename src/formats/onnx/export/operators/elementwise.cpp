// Operators of one, two and three operands, element by element, and softmax.
#include "src/formats/onnx/export/lower.h"

namespace webnn::inline v0_1::onnx::exporter {
namespace {

template <class Op>
Values unary(LoweringContext& s, const Op& op, std::string_view name, Attributes attributes = {}) {
  return s.e().like(name, {s(op.input)}, std::move(attributes));
}
template <class Op> Values binary(LoweringContext& s, const Op& op, std::string_view name) {
  return s.e().like(name, {s(op.a), s(op.b)}, s.shape());
}
template <class Op> Values comparison(LoweringContext& s, const Op& op, std::string_view name) {
  return s.e().truth(name, {s(op.a), s(op.b)}, s.shape());
}
template <class Op> Values logical(LoweringContext& s, const Op& op, std::string_view name) {
  return s.e().truth(name, {s.truth(op.a), s.truth(op.b)}, s.shape());
}
Attribute real(std::string_view name, double v) { return {name, static_cast<float>(v)}; }

}  // namespace

Values lower(LoweringContext& s, const ops::abs& op) { return unary(s, op, "Abs"); }
Values lower(LoweringContext& s, const ops::ceil& op) { return unary(s, op, "Ceil"); }
Values lower(LoweringContext& s, const ops::cos& op) { return unary(s, op, "Cos"); }
Values lower(LoweringContext& s, const ops::erf& op) { return unary(s, op, "Erf"); }
Values lower(LoweringContext& s, const ops::exp& op) { return unary(s, op, "Exp"); }
Values lower(LoweringContext& s, const ops::floor& op) { return unary(s, op, "Floor"); }
Values lower(LoweringContext& s, const ops::identity& op) { return unary(s, op, "Identity"); }
Values lower(LoweringContext& s, const ops::log& op) { return unary(s, op, "Log"); }
Values lower(LoweringContext& s, const ops::neg& op) { return unary(s, op, "Neg"); }
Values lower(LoweringContext& s, const ops::reciprocal& op) { return unary(s, op, "Reciprocal"); }
Values lower(LoweringContext& s, const ops::roundEven& op) { return unary(s, op, "Round"); }
Values lower(LoweringContext& s, const ops::sign& op) { return unary(s, op, "Sign"); }
Values lower(LoweringContext& s, const ops::sin& op) { return unary(s, op, "Sin"); }
Values lower(LoweringContext& s, const ops::sqrt& op) { return unary(s, op, "Sqrt"); }
Values lower(LoweringContext& s, const ops::tan& op) { return unary(s, op, "Tan"); }

Values lower(LoweringContext& s, const ops::elu& op) {
  return unary(s, op, "Elu", {real("alpha", op.options.alpha)});
}
Values lower(LoweringContext& s, const ops::gelu& op) { return unary(s, op, "Gelu"); }
Values lower(LoweringContext& s, const ops::hardSigmoid& op) {
  return unary(s, op, "HardSigmoid",
               {real("alpha", op.options.alpha), real("beta", op.options.beta)});
}
Values lower(LoweringContext& s, const ops::hardSwish& op) { return unary(s, op, "HardSwish"); }
Values lower(LoweringContext& s, const ops::leakyRelu& op) {
  return unary(s, op, "LeakyRelu", {real("alpha", op.options.alpha)});
}
Values lower(LoweringContext& s, const ops::relu& op) { return unary(s, op, "Relu"); }
Values lower(LoweringContext& s, const ops::sigmoid& op) { return unary(s, op, "Sigmoid"); }
Values lower(LoweringContext& s, const ops::softplus& op) { return unary(s, op, "Softplus"); }
Values lower(LoweringContext& s, const ops::softsign& op) { return unary(s, op, "Softsign"); }
Values lower(LoweringContext& s, const ops::tanh& op) { return unary(s, op, "Tanh"); }
Values lower(LoweringContext& s, const ops::softmax& op) {
  return unary(s, op, "Softmax", {{"axis", std::int64_t{op.axis}}});
}
/// Narrow floats are computed in float32, so that the product is not rounded before the sum.
Values lower(LoweringContext& s, const ops::linear& op) {
  Emitter& e = s.e();
  const auto number = [&](double v) {
    return e.scalar(float32, MLNumber(v).to(s.type()).as_double());
  };
  const Value product = e.binary("Mul", e.cast(s(op.input), float32), number(op.options.alpha));
  return e.cast(e.binary("Add", product, number(op.options.beta)), s.type());
}
Values lower(LoweringContext& s, const ops::clamp& op) {
  Emitter& e = s.e();
  const auto bound = [&](const std::optional<MLNumber>& v) {
    return v ? e.scalar(s.type(), *v) : Value();
  };
  const auto& [low, high, label] = op.options;
  std::vector<Value> inputs{s(op.input), bound(low)};
  if (high) inputs.push_back(bound(high));
  return e.like("Clip", std::move(inputs));
}

/// Numbers of 8 bits are computed in int32: what is cut off in the end are the same bits. ONNX's
/// slope broadcasts to the input alone.
Values lower(LoweringContext& s, const ops::prelu& op) {
  Emitter& e = s.e();
  const Value x = e.expand(s(op.input), s.shape()), slope = s(op.slope);
  if (s.type() != int8) return e.like("PRelu", {x, slope});
  return e.cast(e.like("PRelu", {e.cast(x, int32), e.cast(slope, int32)}), int8);
}

Values lower(LoweringContext& s, const ops::add& op) { return binary(s, op, "Add"); }
Values lower(LoweringContext& s, const ops::sub& op) { return binary(s, op, "Sub"); }
Values lower(LoweringContext& s, const ops::mul& op) { return binary(s, op, "Mul"); }
Values lower(LoweringContext& s, const ops::div& op) { return binary(s, op, "Div"); }
Values lower(LoweringContext& s, const ops::max& op) { return binary(s, op, "Max"); }
Values lower(LoweringContext& s, const ops::min& op) { return binary(s, op, "Min"); }

Values lower(LoweringContext& s, const ops::modulusTruncate& op) {
  return s.e().like("Mod", {s(op.a), s(op.b)}, s.shape(), {{"fmod", std::int64_t{1}}});
}
/// ONNX rounds down for integers alone: a float of the other sign is moved by b, and a zero gets
/// the sign of b.
Values lower(LoweringContext& s, const ops::modulusFloor& op) {
  Emitter& e = s.e();
  const Value a = s(op.a), b = s(op.b);
  if (!is_float(s.type())) return e.like("Mod", {a, b}, s.shape());
  const Value rest = e.like("Mod", {a, b}, s.shape(), {{"fmod", std::int64_t{1}}});
  const Value zero = e.scalar_like(rest, 0);
  const auto truth = [&](std::string_view name, Value x, Value y) {
    return e.truth(name, {x, y}, broadcast_shape(e.shape(x), e.shape(y)));
  };
  const Value differs = truth("Xor", truth("Less", rest, zero), truth("Less", b, zero));
  const Value moved =
      e.node("Where", {differs, e.binary("Add", rest, b), rest}, s.type(), s.shape());
  const Value signed_zero = e.binary("Mul", e.like("Abs", {rest}), e.like("Sign", {b}));
  return e.node("Where", {truth("Equal", rest, zero), signed_zero, moved}, s.type(), s.shape());
}

/// Other integers in wider ones, whose low bits are the same.
Values lower(LoweringContext& s, const ops::pow& op) {
  Emitter& e = s.e();
  MLOperandDataType type = s.type();
  if (type == int8 || type == uint8) type = int32;
  if (type == uint32) type = int64;
  return e.cast(e.like("Pow", {e.cast(s(op.a), type), e.cast(s(op.b), type)}, s.shape()), s.type());
}

Values lower(LoweringContext& s, const ops::equal& op) { return comparison(s, op, "Equal"); }
Values lower(LoweringContext& s, const ops::notEqual& op) {
  return s.e().truth("Not", comparison(s, op, "Equal"), s.shape());
}
Values lower(LoweringContext& s, const ops::greater& op) { return comparison(s, op, "Greater"); }
Values lower(LoweringContext& s, const ops::greaterOrEqual& op) {
  return comparison(s, op, "GreaterOrEqual");
}
Values lower(LoweringContext& s, const ops::lesser& op) { return comparison(s, op, "Less"); }
Values lower(LoweringContext& s, const ops::lesserOrEqual& op) {
  return comparison(s, op, "LessOrEqual");
}
Values lower(LoweringContext& s, const ops::logicalAnd& op) { return logical(s, op, "And"); }
Values lower(LoweringContext& s, const ops::logicalOr& op) { return logical(s, op, "Or"); }
Values lower(LoweringContext& s, const ops::logicalXor& op) { return logical(s, op, "Xor"); }
Values lower(LoweringContext& s, const ops::logicalNot& op) {
  return s.e().truth("Not", {s.truth(op.a)}, s.shape());
}
Values lower(LoweringContext& s, const ops::isNaN& op) {
  return s.e().truth("IsNaN", {s(op.a)}, s.shape());
}
Values lower(LoweringContext& s, const ops::isInfinite& op) {
  return s.e().truth("IsInf", {s(op.a)}, s.shape());
}
Values lower(LoweringContext& s, const ops::where& op) {
  return s.e().node("Where", {s.truth(op.condition), s(op.trueValue), s(op.falseValue)}, s.type(),
                    s.shape());
}
Values lower(LoweringContext& s, const ops::cast& op) {
  return s.e().cast(s(op.input), op.dataType);
}

}  // namespace webnn::inline v0_1::onnx::exporter
