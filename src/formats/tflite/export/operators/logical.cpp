// Comparisons, logic and selection. TFLite has BOOL where WebNN has uint8.
#include <limits>

#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

Values compared(LoweringContext& s, BuiltinOperator code, const MLOperand& a, const MLOperand& b) {
  Emitter& e = s.e();
  const TensorType work = comparable(type_of(a.dataType()));
  const Value x = e.cast(s(a), work), y = e.cast(s(b), work);
  return e.from_bool(e.compare(code, x, y));
}

Values combined(LoweringContext& s, BuiltinOperator code, const MLOperand& a, const MLOperand& b) {
  Emitter& e = s.e();
  const Value x = e.as_bool(s(a)), y = e.as_bool(s(b));
  return e.from_bool(e.compare(code, x, y));
}

}  // namespace

Values lower(LoweringContext& s, const ops::equal& op) { return compared(s, EQUAL, op.a, op.b); }
Values lower(LoweringContext& s, const ops::notEqual& op) {
  return compared(s, NOT_EQUAL, op.a, op.b);
}
Values lower(LoweringContext& s, const ops::greater& op) {
  return compared(s, GREATER, op.a, op.b);
}
Values lower(LoweringContext& s, const ops::greaterOrEqual& op) {
  return compared(s, GREATER_EQUAL, op.a, op.b);
}
Values lower(LoweringContext& s, const ops::lesser& op) { return compared(s, LESS, op.a, op.b); }
Values lower(LoweringContext& s, const ops::lesserOrEqual& op) {
  return compared(s, LESS_EQUAL, op.a, op.b);
}
Values lower(LoweringContext& s, const ops::logicalAnd& op) {
  return combined(s, LOGICAL_AND, op.a, op.b);
}
Values lower(LoweringContext& s, const ops::logicalOr& op) {
  return combined(s, LOGICAL_OR, op.a, op.b);
}
Values lower(LoweringContext& s, const ops::logicalXor& op) {
  return combined(s, NOT_EQUAL, op.a, op.b);
}

Values lower(LoweringContext& s, const ops::logicalNot& op) {
  Emitter& e = s.e();
  return e.from_bool(e.unary(LOGICAL_NOT, e.as_bool(s(op.a))));
}
Values lower(LoweringContext& s, const ops::isNaN& op) {
  const Value x = s(op.a);
  return s.e().from_bool(s.e().compare(NOT_EQUAL, x, x));
}
Values lower(LoweringContext& s, const ops::isInfinite& op) {
  Emitter& e = s.e();
  const Value x = e.unary(ABS, s(op.a));
  const Value infinite = e.scalar(e.type(x), std::numeric_limits<double>::infinity());
  return e.from_bool(e.compare(EQUAL, x, infinite));
}

Values lower(LoweringContext& s, const ops::where& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.trueValue.dataType()), work = movable(type);
  const Value condition = e.as_bool(s(op.condition));
  const Value a = e.cast(s(op.trueValue), work), b = e.cast(s(op.falseValue), work);
  return e.cast(e.select(condition, a, b), type);
}

Values lower(LoweringContext& s, const ops::triangular& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.input.dataType()), work = movable(type);
  const std::uint32_t rows = op.input.shape().end()[-2], columns = op.input.shape().end()[-1];
  std::vector<std::uint8_t> kept;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) {
      const std::int64_t edge = row + op.options.diagonal;
      kept.push_back(op.options.upper ? column >= edge : column <= edge);
    }
  const Value mask = e.constant(TensorType::BOOL, {rows, columns}, kept);
  return e.cast(e.select(mask, e.cast(s(op.input), work), e.scalar(work, 0)), type);
}

}  // namespace webnn::inline v0_1::tflite::exporter
