#include <cmath>
#include <limits>

#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

double as_double(const std::optional<MLNumber>& bound, MLOperandDataType type, double absent) {
  if (!bound) return absent;
  const double value = bound->to(type).as_double();
  return std::isnan(value) ? absent : value;
}

}  // namespace

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
  if (op.input.dataType() == float32) return unary(s, BuiltinOperator::RELU, op.input);
  return s.e().binary(MAXIMUM, s(op.input), 0.0);
}
Values lower(LoweringContext& s, const ops::sigmoid& op) { return unary(s, LOGISTIC, op.input); }
Values lower(LoweringContext& s, const ops::tanh& op) {
  return unary(s, BuiltinOperator::TANH, op.input);
}
Values lower(LoweringContext& s, const ops::hardSwish& op) {
  return unary(s, HARD_SWISH, op.input);
}

Value exact_gelu(Emitter& e, Value x) {
  schema::BuiltinOptionsUnion u;
  u.Set(schema::GeluOptionsT());
  return e.unary(GELU, x, {}, std::move(u));
}

Values lower(LoweringContext& s, const ops::gelu& op) { return exact_gelu(s.e(), s(op.input)); }

Values lower(LoweringContext& s, const ops::leakyRelu& op) {
  schema::LeakyReluOptionsT options;
  options.alpha = static_cast<float>(op.options.alpha);
  schema::BuiltinOptionsUnion u;
  u.Set(std::move(options));
  return s.e().unary(LEAKY_RELU, s(op.input), s.result(), std::move(u));
}

Values lower(LoweringContext& s, const ops::elu& op) {
  Emitter& e = s.e();
  if (op.options.alpha == 1) return unary(s, ELU, op.input);
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

}  // namespace webnn::inline v0_1::tflite::exporter
