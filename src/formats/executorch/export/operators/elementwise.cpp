// Operators of one and of two operands, element by element, and softmax.
#include <cmath>

#include "src/formats/executorch/export/lower.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::executorch::exporter {

namespace {

/// Nothing when a bound is NaN.
std::optional<Limits> limits_of(const ops::clamp& op) {
  const auto bound = [&](const MLNumber& n) {
    return static_cast<float>(n.to(op.input.dataType()).as_double());
  };
  Limits l;
  if (op.options.minValue) l.low = bound(*op.options.minValue);
  if (op.options.maxValue) l.high = bound(*op.options.maxValue);
  if (std::isnan(l.low) || std::isnan(l.high)) return std::nullopt;
  return l;
}

}  // namespace

std::optional<Limits> limits_of(const Node& node) {
  if (!types::floats.contains(node.output().dataType())) return std::nullopt;
  if (node.as<ops::relu>()) return Limits{.low = 0};
  const auto* clamp = node.as<ops::clamp>();
  return clamp ? limits_of(*clamp) : std::nullopt;
}

namespace {

bool computes(DataType type) { return type == DataType::fp32 || type == DataType::fp16; }

Value unary(LoweringContext& s, Kind kind, const MLOperand& x) {
  const Value from = s(x);
  if (!computes(s.e().type(from)) && !s.quantized())
    return s.refuse(fail("XNNPACK has it for floats, not for {}", x.dataType()));
  return s.e().unary(kind, from, s.result());
}

/// A node of floats, of int32 or of a quantized group.
Value binary(LoweringContext& s, Kind kind, const MLOperand& a, const MLOperand& b, bool limited) {
  const Value x = s(a), y = s(b);
  const DataType type = s.e().type(x);
  if (!computes(type) && type != DataType::int32 && !s.quantized())
    return s.refuse(fail("XNNPACK has it for floats and int32, not for {}", a.dataType()));
  return s.e().binary(kind, x, y, s.result(), limited ? s.limits() : Limits{});
}

}  // namespace

Values lower(LoweringContext& s, const ops::abs& op) { return unary(s, Kind::Abs, op.input); }
Values lower(LoweringContext& s, const ops::ceil& op) { return unary(s, Kind::Ceiling, op.input); }
Values lower(LoweringContext& s, const ops::cos& op) { return unary(s, Kind::Cos, op.input); }
Values lower(LoweringContext& s, const ops::exp& op) { return unary(s, Kind::Exp, op.input); }
Values lower(LoweringContext& s, const ops::floor& op) { return unary(s, Kind::Floor, op.input); }
Values lower(LoweringContext& s, const ops::log& op) { return unary(s, Kind::Log, op.input); }
Values lower(LoweringContext& s, const ops::neg& op) { return unary(s, Kind::Negate, op.input); }
Values lower(LoweringContext& s, const ops::sin& op) { return unary(s, Kind::Sin, op.input); }
Values lower(LoweringContext& s, const ops::sqrt& op) {
  return unary(s, Kind::SquareRoot, op.input);
}
Values lower(LoweringContext& s, const ops::sigmoid& op) {
  return unary(s, Kind::Sigmoid, op.input);
}
Values lower(LoweringContext& s, const ops::tanh& op) { return unary(s, Kind::Tanh, op.input); }
Values lower(LoweringContext& s, const ops::gelu& op) { return unary(s, Kind::Gelu, op.input); }
Values lower(LoweringContext& s, const ops::hardSwish& op) {
  return unary(s, Kind::Hardswish, op.input);
}
Values lower(LoweringContext& s, const ops::identity& op) {
  const Value x = s(op.input);
  return s.e().unary(Kind::Copy, x, s.e().spec(x));
}
Values lower(LoweringContext& s, const ops::reciprocal& op) {
  const Value x = s(op.input);
  const Dims one(s.e().rank(x) == 0 ? 0 : 1, 1);
  return s.e().binary(Kind::Div, s.e().floats(one, {1}, s.e().type(x)), x);
}
Values lower(LoweringContext& s, const ops::tan& op) {
  const Value x = s(op.input);
  return s.e().binary(Kind::Div, s.e().unary(Kind::Sin, x), s.e().unary(Kind::Cos, x));
}

Values lower(LoweringContext& s, const ops::relu& op) {
  if (!types::floats.contains(op.input.dataType()))
    return s.refuse(fail("XNNPACK has it for floats, not for {}", op.input.dataType()));
  return s.e().clamp(s(op.input), {.low = 0}, s.result());
}
Values lower(LoweringContext& s, const ops::clamp& op) {
  if (!types::floats.contains(op.input.dataType()))
    return s.refuse(fail("XNNPACK has it for floats, not for {}", op.input.dataType()));
  const auto limits = limits_of(op);
  if (!limits) return s.refuse(fail("a bound is not a number"));
  return s.e().clamp(s(op.input), *limits, s.result());
}
Values lower(LoweringContext& s, const ops::leakyRelu& op) {
  return s.e().leaky_relu(s(op.input), static_cast<float>(op.options.alpha), s.result());
}
Values lower(LoweringContext& s, const ops::elu& op) {
  return s.e().elu(s(op.input), static_cast<float>(op.options.alpha), s.result());
}
Values lower(LoweringContext& s, const ops::linear& op) {
  Emitter& e = s.e();
  return e.binary(Kind::Add, e.binary(Kind::Multiply, s(op.input), op.options.alpha),
                  op.options.beta);
}
Values lower(LoweringContext& s, const ops::hardSigmoid& op) {
  Emitter& e = s.e();
  const Value y =
      e.binary(Kind::Add, e.binary(Kind::Multiply, s(op.input), op.options.alpha), op.options.beta);
  return e.clamp(y, {.low = 0, .high = 1});
}
/// max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
Values lower(LoweringContext& s, const ops::softplus& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  const Value small = e.unary(Kind::Exp, e.unary(Kind::Negate, e.unary(Kind::Abs, x)));
  return e.binary(Kind::Add, e.clamp(x, {.low = 0}),
                  e.unary(Kind::Log, e.binary(Kind::Add, small, 1)));
}
Values lower(LoweringContext& s, const ops::softsign& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  return e.binary(Kind::Div, x, e.binary(Kind::Add, e.unary(Kind::Abs, x), 1));
}

Values lower(LoweringContext& s, const ops::add& op) {
  return binary(s, Kind::Add, op.a, op.b, true);
}
Values lower(LoweringContext& s, const ops::sub& op) {
  return binary(s, Kind::Subtract, op.a, op.b, true);
}
Values lower(LoweringContext& s, const ops::mul& op) {
  if (op.a.is(op.b) && !s.quantized() && types::floats.contains(op.a.dataType()))
    return unary(s, Kind::Square, op.a);
  return binary(s, Kind::Multiply, op.a, op.b, true);
}
Values lower(LoweringContext& s, const ops::div& op) {
  if (!types::floats.contains(op.a.dataType()))
    return s.refuse(fail("XNNPACK has it for floats, not for {}", op.a.dataType()));
  return binary(s, Kind::Div, op.a, op.b, true);
}
Values lower(LoweringContext& s, const ops::max& op) {
  return binary(s, Kind::Maximum, op.a, op.b, false);
}
Values lower(LoweringContext& s, const ops::min& op) {
  return binary(s, Kind::Minimum, op.a, op.b, false);
}

/// Only powers that are other nodes.
Values lower(LoweringContext& s, const ops::pow& op) {
  Emitter& e = s.e();
  const auto known = op.b.constant() ? formats::elements_of(op.b) : std::vector<double>{};
  const bool shaped = op.b.rank() <= op.a.rank();
  if (known.size() == 1 && shaped && types::floats.contains(op.a.dataType())) {
    const Value x = s(op.a);
    const double p = known[0];
    if (p == 1) return e.unary(Kind::Copy, x);
    if (p == 2) return e.unary(Kind::Square, x);
    if (p == 3) return e.binary(Kind::Multiply, e.unary(Kind::Square, x), x);
    if (p == 0.5) return e.unary(Kind::SquareRoot, x);
    if (p == -0.5) return e.unary(Kind::ReciprocalSquareRoot, x);
  }
  return s.refuse(fail("XNNPACK has no powers but the constants 1, 2, 3, 0.5 and -0.5"));
}

/// XNNPACK's slope is constant, one for each channel.
Values lower(LoweringContext& s, const ops::prelu& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  const bool by_channel = op.slope.constant() && op.input.rank() > 0 &&
                          element_count(op.slope.shape()) == op.input.shape().back() &&
                          op.slope.rank() > 0 && op.slope.shape().back() == op.input.shape().back();
  if (by_channel)
    return e.binary(Kind::PReLU, e.reshape(x, s.result().shape),
                    e.reshape(s(op.slope), {op.input.shape().back()}), s.result());
  const Value below = e.binary(Kind::Multiply, e.clamp(x, {.high = 0}), s(op.slope));
  return e.binary(Kind::Add, e.clamp(x, {.low = 0}), below);
}

/// Along the last dimension, where it is brought.
Values lower(LoweringContext& s, const ops::softmax& op) {
  Emitter& e = s.e();
  Dims order(op.input.rank());
  for (std::uint32_t d = 0; d < order.size(); ++d) order[d] = d;
  std::swap(order[op.axis], order.back());
  return e.transpose(e.unary(Kind::Softmax, e.transpose(s(op.input), order)), order);
}

Values lower(LoweringContext& s, const ops::cast& op) {
  const Value x = s(op.input);
  const DataType from = s.e().type(x), to = s.result().type;
  if (from == to) return s.e().unary(Kind::Copy, x);
  if (!computes(to) || (!computes(from) && from != DataType::int32))
    return s.refuse(fail("XNNPACK does not convert {} to {}", op.input.dataType(), op.dataType));
  return s.e().unary(Kind::Convert, x, s.result());
}

Values lower(LoweringContext& s, const ops::dequantizeLinear& op) {
  const auto q = formats::quantizer_of(op.input, op.scale, op.zeroPoint);
  if (!q || !q->per_tensor() || bits_of(op.input.dataType()) != 8 || op.scale.dataType() != float32)
    return s.refuse(fail("XNNPACK dequantizes 8-bit elements with one constant scale"));
  const Value x = s(op.input);
  if (s.e().spec(x).quantizer != q) return s.refuse(fail("its input has two quantizations"));
  return s.e().unary(Kind::Convert, x, s.result());
}
Values lower(LoweringContext& s, const ops::quantizeLinear& op) {
  const auto q = formats::quantizer_of(op.input, op.scale, op.zeroPoint);
  const MLOperandDataType type = op.zeroPoint.dataType();
  if (!q || !q->per_tensor() || (type != int8 && type != uint8) || op.input.dataType() != float32)
    return s.refuse(fail("XNNPACK quantizes float32 to 8-bit elements with one constant scale"));
  return s.e().unary(Kind::Convert, s(op.input),
                     Spec{type == int8 ? DataType::qint8 : DataType::quint8, op.input.shape(), q});
}

}  // namespace webnn::inline v0_1::executorch::exporter
