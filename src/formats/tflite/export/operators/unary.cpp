#include <cmath>
#include <numbers>

#include "src/formats/tflite/export/lower.h"

namespace webnn::inline v0_1::tflite::exporter {

Values unary(LoweringContext& s, BuiltinOperator code, const MLOperand& x) {
  return s.quantized() ? s.e().unary(code, s(x), s.result()) : s.e().unary(code, s(x));
}

Values lower(LoweringContext& s, const ops::ceil& op) { return unary(s, CEIL, op.input); }
Values lower(LoweringContext& s, const ops::cos& op) { return unary(s, COS, op.input); }
Values lower(LoweringContext& s, const ops::exp& op) { return unary(s, EXP, op.input); }
Values lower(LoweringContext& s, const ops::floor& op) { return unary(s, FLOOR, op.input); }
Values lower(LoweringContext& s, const ops::log& op) { return unary(s, LOG, op.input); }
Values lower(LoweringContext& s, const ops::roundEven& op) { return unary(s, ROUND, op.input); }
Values lower(LoweringContext& s, const ops::sin& op) { return unary(s, SIN, op.input); }
Values lower(LoweringContext& s, const ops::sqrt& op) { return unary(s, SQRT, op.input); }
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

/// gelu(t) = t / 2 * (1 + erf(t / sqrt 2)), solved for erf. Near 0, where that cancels, erf is
/// linear.
Values lower(LoweringContext& s, const ops::erf& op) {
  Emitter& e = s.e();
  const Value x = clamped(e, s(op.input), -8, 8);  // beyond, erf is 1
  const Value t = e.binary(MUL, x, std::sqrt(2.0));
  const Value g = exact_gelu(e, t);
  const Value y = e.binary(SUB, e.binary(DIV, e.binary(MUL, g, 2.0), t), 1.0);
  const Value small = e.compare(LESS, e.unary(ABS, t), e.scalar(e.type(t), 0x1p-12));
  return e.select(small, e.binary(MUL, t, std::sqrt(2 / std::numbers::pi)), y);
}

}  // namespace webnn::inline v0_1::tflite::exporter
