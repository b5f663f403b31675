// Unary and binary operators, activations, casts.
#include <cmath>
#include <limits>

#include "src/formats/tflite/export/lower.h"
#include "src/graph/failure.h"

namespace webnn::tflite::exporter {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Values same(LoweringContext& s, BuiltinOperator code, const MLOperand& x) {
  return s.quantized() ? s.e().unary(code, s(x), s.result()) : s.e().unary(code, s(x));
}

Values arithmetic(LoweringContext& s, BuiltinOperator code, const MLOperand& a,
                  const MLOperand& b) {
  Emitter& e = s.e();
  if (s.quantized()) {
    const Value x = s(a), y = s(b);
    return e.binary(code, x, y, s.activation(), s.result());
  }
  const TensorType type = type_of(a.dataType()), work = addable(type);
  const Value x = e.cast(s(a), work), y = e.cast(s(b), work);
  return e.cast(e.binary(code, x, y, s.activation()), type);
}

Values extreme(LoweringContext& s, BuiltinOperator code, const MLOperand& a, const MLOperand& b) {
  Emitter& e = s.e();
  const TensorType type = type_of(a.dataType());
  const TensorType work = type == TensorType::UINT32 ? TensorType::INT64 : type;
  return e.cast(e.binary(code, e.cast(s(a), work), e.cast(s(b), work)), type);
}

bool holds(Emitter& e, Value x, double value) {
  const auto all = e.values(x);
  return std::find(all.begin(), all.end(), value) != all.end();
}

/// x / 0 is 0, and the least integer divided by -1 wraps; the runtime stops at both.
Value integer_division(Emitter& e, Value a, Value b) {
  const bool known = e.constant(b);
  const bool zero = !known || holds(e, b, 0), minus = !known || holds(e, b, -1);
  if (!zero && !minus) return e.binary(DIV, a, b);
  const Value is_zero = e.compare(EQUAL, b, e.scalar(e.type(b), 0));
  const Value is_minus = e.compare(EQUAL, b, e.scalar(e.type(b), -1));
  const Value bad = e.binary(LOGICAL_OR, is_zero, is_minus);
  const Value quotient = e.binary(DIV, a, e.select(bad, e.scalar(e.type(b), 1), b));
  const Value negative = e.binary(SUB, e.scalar(e.type(a), 0), a);
  return e.select(is_zero, e.scalar(e.type(a), 0), e.select(is_minus, negative, quotient));
}

bool is_integer(TensorType type) { return type != TensorType::FLOAT32; }

/// log(1 + u) for u from 0 to 1, also where 1 + u rounds.
Value log1p(Emitter& e, Value u) {
  const Value w = e.binary(ADD, u, 1.0), d = e.binary(SUB, w, 1.0);
  const Value ratio = e.binary(DIV, e.unary(LOG, w), d);
  return e.select(e.compare(EQUAL, d, e.scalar(e.type(d), 0)), u, e.binary(MUL, u, ratio));
}

/// max(x, 0) + slope * min(x, 0)
Value rectified(Emitter& e, Value x, Value slope) {
  return e.binary(ADD, e.binary(MAXIMUM, x, 0.0), e.binary(MUL, slope, e.binary(MINIMUM, x, 0.0)));
}

/// The exact form, not the one with tanh.
Value gelu_of(Emitter& e, Value x) {
  schema::BuiltinOptionsUnion u;
  u.Set(schema::GeluOptionsT());
  return e.unary(GELU, x, {}, std::move(u));
}

double as_double(const std::optional<MLNumber>& bound, MLOperandDataType type, double absent) {
  if (!bound) return absent;
  const double value = bound->to(type).as_double();
  return std::isnan(value) ? absent : value;
}

}  // namespace

TensorType movable(TensorType type) {
  return type == TensorType::UINT32 ? TensorType::INT32 : type;
}
TensorType addable(TensorType type) {
  const bool narrow = type == TensorType::INT8 || type == TensorType::UINT8;
  return narrow ? TensorType::INT32 : movable(type);
}
TensorType comparable(TensorType type) {
  return type == TensorType::UINT32 ? TensorType::INT64 : addable(type);
}

// Activations.

std::optional<ActivationFunctionType> fusable(const Node& node) {
  using enum ActivationFunctionType;
  if (node.output().dataType() != float32) return std::nullopt;
  if (node.as<ops::relu>()) return RELU;
  const auto* op = node.as<ops::clamp>();
  if (!op) return std::nullopt;
  const std::pair bounds(as_double(op->options.minValue, float32, -infinity),
                         as_double(op->options.maxValue, float32, infinity));
  if (bounds == std::pair(0.0, infinity)) return RELU;
  if (bounds == std::pair(0.0, 6.0)) return RELU6;
  if (bounds == std::pair(-1.0, 1.0)) return RELU_N1_TO_1;
  return std::nullopt;
}

Value apply(Emitter& e, ActivationFunctionType activation, Value x) {
  switch (activation) {
    case ActivationFunctionType::RELU: return e.unary(BuiltinOperator::RELU, x);
    case ActivationFunctionType::RELU6: return e.unary(BuiltinOperator::RELU6, x);
    case ActivationFunctionType::RELU_N1_TO_1: return e.unary(BuiltinOperator::RELU_N1_TO_1, x);
    default: return x;
  }
}

Value clamped(Emitter& e, Value x, double low, double high) {
  if (low > -infinity) x = e.binary(MAXIMUM, x, low);
  return high < infinity ? e.binary(MINIMUM, x, high) : x;
}

Values lower(LoweringContext& s, const ops::clamp& op) {
  Emitter& e = s.e();
  const MLOperandDataType data = op.input.dataType();
  const Value x = s(op.input);
  if (data == float32) {
    const std::pair bounds(as_double(op.options.minValue, data, -infinity),
                           as_double(op.options.maxValue, data, infinity));
    const auto result = s.quantized() ? std::optional(s.result()) : std::nullopt;
    if (bounds == std::pair(0.0, infinity)) return e.unary(BuiltinOperator::RELU, x, result);
    if (bounds == std::pair(0.0, 6.0)) return e.unary(BuiltinOperator::RELU6, x, result);
    if (bounds == std::pair(-1.0, 1.0)) return e.unary(BuiltinOperator::RELU_N1_TO_1, x, result);
    return clamped(e, x, bounds.first, bounds.second);
  }
  // Integers of 64 bits do not go through double.
  const TensorType type = e.type(x), work = type == TensorType::UINT32 ? TensorType::INT64 : type;
  Value y = e.cast(x, work);
  const auto bound = [&](const std::optional<MLNumber>& number) {
    const std::uint64_t bits = number->to(data).as_uint64();
    if (work == TensorType::INT64) return e.constant<std::uint64_t>(work, {}, {bits});
    return e.scalar(work, static_cast<double>(static_cast<std::int64_t>(bits)));
  };
  if (op.options.minValue) y = e.binary(MAXIMUM, y, bound(op.options.minValue));
  if (op.options.maxValue) y = e.binary(MINIMUM, y, bound(op.options.maxValue));
  return e.cast(y, type);
}

Values lower(LoweringContext& s, const ops::relu& op) {
  if (op.input.dataType() == float32) return same(s, BuiltinOperator::RELU, op.input);
  return s.e().binary(MAXIMUM, s(op.input), 0.0);
}
Values lower(LoweringContext& s, const ops::sigmoid& op) { return same(s, LOGISTIC, op.input); }
Values lower(LoweringContext& s, const ops::tanh& op) {
  return same(s, BuiltinOperator::TANH, op.input);
}
Values lower(LoweringContext& s, const ops::hardSwish& op) { return same(s, HARD_SWISH, op.input); }

Values lower(LoweringContext& s, const ops::gelu& op) { return gelu_of(s.e(), s(op.input)); }

Values lower(LoweringContext& s, const ops::leakyRelu& op) {
  schema::LeakyReluOptionsT options;
  options.alpha = static_cast<float>(op.options.alpha);
  schema::BuiltinOptionsUnion u;
  u.Set(std::move(options));
  return s.e().unary(LEAKY_RELU, s(op.input), s.result(), std::move(u));
}

Values lower(LoweringContext& s, const ops::elu& op) {
  Emitter& e = s.e();
  if (op.options.alpha == 1) return same(s, ELU, op.input);
  const Value x = s(op.input);
  const Value below = e.unary(ELU, e.binary(MINIMUM, x, 0.0));
  return e.binary(ADD, e.binary(MAXIMUM, x, 0.0), e.binary(MUL, below, op.options.alpha));
}

Values lower(LoweringContext& s, const ops::prelu& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType());
  const Value x = s(op.input), slope = s(op.slope);
  if (s.quantized()) return e.emit(PRELU, {x, slope}, s.result());
  if (type == TensorType::FLOAT32 && s.result().shape == op.input.shape() && op.input.rank() <= 4)
    return e.emit(PRELU, {x, slope}, s.result());
  const TensorType work = addable(type);
  return e.cast(rectified(e, e.cast(x, work), e.cast(slope, work)), type);
}

Values lower(LoweringContext& s, const ops::hardSigmoid& op) {
  Emitter& e = s.e();
  const Value scaled = e.binary(MUL, s(op.input), op.options.alpha);
  return clamped(e, e.binary(ADD, scaled, op.options.beta), 0, 1);
}
Values lower(LoweringContext& s, const ops::linear& op) {
  Emitter& e = s.e();
  return e.binary(ADD, e.binary(MUL, s(op.input), op.options.alpha), op.options.beta);
}
Values lower(LoweringContext& s, const ops::softplus& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  const Value small = e.unary(EXP, e.unary(NEG, e.unary(ABS, x)));
  return e.binary(ADD, e.binary(MAXIMUM, x, 0.0), log1p(e, small));
}
Values lower(LoweringContext& s, const ops::softsign& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  return e.binary(DIV, x, e.binary(ADD, e.unary(ABS, x), 1.0));
}

// Binary.

Values lower(LoweringContext& s, const ops::add& op) { return arithmetic(s, ADD, op.a, op.b); }
Values lower(LoweringContext& s, const ops::sub& op) { return arithmetic(s, SUB, op.a, op.b); }
Values lower(LoweringContext& s, const ops::mul& op) { return arithmetic(s, MUL, op.a, op.b); }
Values lower(LoweringContext& s, const ops::max& op) { return extreme(s, MAXIMUM, op.a, op.b); }
Values lower(LoweringContext& s, const ops::min& op) { return extreme(s, MINIMUM, op.a, op.b); }

Values lower(LoweringContext& s, const ops::div& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.a.dataType());
  if (!is_integer(type)) return e.binary(DIV, s(op.a), s(op.b), s.activation());
  if (type == TensorType::UINT32 || type == TensorType::INT64)
    return s.refuse(fail("TFLite does not divide {}", op.a.dataType()));
  const TensorType work = addable(type);
  return e.cast(integer_division(e, e.cast(s(op.a), work), e.cast(s(op.b), work)), type);
}

Values lower(LoweringContext& s, const ops::pow& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.a.dataType());
  if (!is_integer(type)) return e.binary(POW, s(op.a), s(op.b));
  const Value exponent = s(op.b);
  const bool known = e.constant(exponent);
  if (known)
    for (const double v : e.values(exponent))
      if (v < 0) return s.refuse(fail("TFLite takes no negative power of integers"));
  if (!known)
    return s.refuse(fail("TFLite stops at a negative power of integers, and b is no constant"));
  if (type == TensorType::UINT32 || type == TensorType::INT64)
    return s.refuse(fail("TFLite has no powers of {}", op.a.dataType()));
  const TensorType work = addable(type);
  return e.cast(e.binary(POW, e.cast(s(op.a), work), e.cast(exponent, work)), type);
}

// Unary.

Values lower(LoweringContext& s, const ops::ceil& op) { return same(s, CEIL, op.input); }
Values lower(LoweringContext& s, const ops::cos& op) { return same(s, COS, op.input); }
Values lower(LoweringContext& s, const ops::exp& op) { return same(s, EXP, op.input); }
Values lower(LoweringContext& s, const ops::floor& op) { return same(s, FLOOR, op.input); }
Values lower(LoweringContext& s, const ops::log& op) { return same(s, LOG, op.input); }
Values lower(LoweringContext& s, const ops::roundEven& op) { return same(s, ROUND, op.input); }
Values lower(LoweringContext& s, const ops::sin& op) { return same(s, SIN, op.input); }
Values lower(LoweringContext& s, const ops::sqrt& op) { return same(s, SQRT, op.input); }
Values lower(LoweringContext& s, const ops::identity& op) { return s(op.input); }

Values lower(LoweringContext& s, const ops::tan& op) {
  const Value x = s(op.input);
  return s.e().binary(DIV, s.e().unary(SIN, x), s.e().unary(COS, x));
}
Values lower(LoweringContext& s, const ops::reciprocal& op) {
  const Value x = s(op.input);
  return s.e().binary(DIV, s.e().scalar(s.e().type(x), 1), x);
}

Values lower(LoweringContext& s, const ops::abs& op) {
  Emitter& e = s.e();
  if (op.input.dataType() == float32) return e.unary(ABS, s(op.input));
  const TensorType type = type_of(op.input.dataType());
  const Value x = e.cast(s(op.input), addable(type));
  return e.cast(e.binary(MAXIMUM, x, e.unary(NEG, x)), type);
}
Values lower(LoweringContext& s, const ops::neg& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType());
  return e.cast(e.unary(NEG, e.cast(s(op.input), addable(type))), type);
}
Values lower(LoweringContext& s, const ops::sign& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType()), work = addable(type);
  const Value x = e.cast(s(op.input), work), zero = e.scalar(work, 0);
  const Value above = e.cast(e.compare(GREATER, x, zero), work);
  const Value below = e.cast(e.compare(LESS, x, zero), work);
  return e.cast(e.binary(SUB, above, below), type);
}

/// gelu(t) = t / 2 * (1 + erf(t / sqrt 2)), solved for erf.
Values lower(LoweringContext& s, const ops::erf& op) {
  Emitter& e = s.e();
  const Value x = clamped(e, s(op.input), -8, 8);  // beyond, erf is 1
  const Value t = e.binary(MUL, x, std::sqrt(2.0));
  const Value g = gelu_of(e, t);
  const Value y = e.binary(SUB, e.binary(DIV, e.binary(MUL, g, 2.0), t), 1.0);
  return e.select(e.compare(EQUAL, t, e.scalar(e.type(t), 0)), t, y);
}

Values lower(LoweringContext& s, const ops::cast& op) {
  return s.e().cast(s(op.input), type_of(op.dataType));
}

}  // namespace webnn::tflite::exporter
