#include "src/formats/tflite/export/lower.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

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
  const Value x = s(a), y = s(b);
  if (s.quantized()) return e.binary(code, x, y, ActivationFunctionType::NONE, s.result());
  const TensorType type = type_of(a.dataType());
  const TensorType work = type == TensorType::UINT32 ? TensorType::INT64 : type;
  return e.cast(e.binary(code, e.cast(x, work), e.cast(y, work)), type);
}

bool holds(Emitter& e, Value x, double value) {
  const auto all = e.values(x);
  return std::find(all.begin(), all.end(), value) != all.end();
}

/// Whether a divisor may be that number.
bool may_be(Emitter& e, Value x, double value) { return !e.constant(x) || holds(e, x, value); }

/// x / 0 is 0, and the least integer divided by -1 wraps; the runtime stops at both.
Value integer_division(Emitter& e, Value a, Value b) {
  if (!may_be(e, b, 0) && !may_be(e, b, -1)) return e.binary(DIV, a, b);
  const Value is_zero = e.compare(EQUAL, b, e.scalar(e.type(b), 0));
  const Value is_minus = e.compare(EQUAL, b, e.scalar(e.type(b), -1));
  const Value bad = e.binary(LOGICAL_OR, is_zero, is_minus);
  const Value quotient = e.binary(DIV, a, e.select(bad, e.scalar(e.type(b), 1), b));
  const Value negative = e.binary(SUB, e.scalar(e.type(a), 0), a);
  return e.select(is_zero, e.scalar(e.type(a), 0), e.select(is_minus, negative, quotient));
}

bool is_integer(TensorType type) { return type != TensorType::FLOAT32; }

/// x % 0 of integers is 0, as is the remainder of the least one by -1; the runtime stops at both.
Value floor_mod(Emitter& e, Value a, Value b) {
  const TensorType type = e.type(b);
  if (is_integer(type) && (may_be(e, b, 0) || may_be(e, b, -1))) {
    const Value is_zero = e.compare(EQUAL, b, e.scalar(type, 0));
    const Value is_minus = e.compare(EQUAL, b, e.scalar(type, -1));
    b = e.select(e.binary(LOGICAL_OR, is_zero, is_minus), e.scalar(type, 1), b);
  }
  return e.binary(FLOOR_MOD, a, b);
}
/// With the sign of a, from remainders of what is not negative; a is exact where it is smaller.
Value truncated_mod_of_floats(Emitter& e, Value a, Value b) {
  const Value size = e.unary(ABS, a), by = e.unary(ABS, b);
  const Value rest = e.binary(FLOOR_MOD, size, by);
  const Value below = e.compare(LESS, a, e.scalar(e.type(a), 0));
  const Value with_sign = e.select(below, e.unary(NEG, rest), rest);
  return e.select(e.compare(LESS, size, by), a, with_sign);
}
/// The remainder that rounds down, moved by b where it has not the sign of a.
Value truncated_mod_of_integers(Emitter& e, Value a, Value b) {
  const Value rest = floor_mod(e, a, b), zero = e.scalar(e.type(a), 0);
  const Value differs = e.compare(NOT_EQUAL, e.compare(LESS, rest, zero), e.compare(LESS, a, zero));
  const Value moves = e.binary(LOGICAL_AND, e.compare(NOT_EQUAL, rest, zero), differs);
  return e.select(moves, e.binary(SUB, rest, b), rest);
}

}  // namespace

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

Values lower(LoweringContext& s, const ops::modulusFloor& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.a.dataType()), work = comparable(type);
  return e.cast(floor_mod(e, e.cast(s(op.a), work), e.cast(s(op.b), work)), type);
}
Values lower(LoweringContext& s, const ops::modulusTruncate& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.a.dataType()), work = comparable(type);
  const Value a = e.cast(s(op.a), work), b = e.cast(s(op.b), work);
  if (!is_integer(type)) return truncated_mod_of_floats(e, a, b);
  const bool is_signed = types::signed_numbers.contains(op.a.dataType());
  return e.cast(is_signed ? truncated_mod_of_integers(e, a, b) : floor_mod(e, a, b), type);
}

Values lower(LoweringContext& s, const ops::pow& op) {
  Emitter& e = s.e();
  const TensorType type = type_of(op.a.dataType());
  if (!is_integer(type)) return e.binary(POW, s(op.a), s(op.b));
  const Value exponent = s(op.b);
  const bool known = e.constant(exponent);
  if (known)
    for (const double v : e.values(exponent))
      if (v < 0) return s.refuse(fail("TFLite has no negative powers of integers"));
  if (!known)
    return s.refuse(fail("TFLite stops at a negative power of integers, and b is not a constant"));
  if (type == TensorType::UINT32 || type == TensorType::INT64)
    return s.refuse(fail("TFLite has no powers of {}", op.a.dataType()));
  const TensorType work = addable(type);
  return e.cast(e.binary(POW, e.cast(s(op.a), work), e.cast(exponent, work)), type);
}

}  // namespace webnn::inline v0_1::tflite::exporter
