// Comparisons, logic and types.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

template <class Op> void compare(Call& c) {
  const MLOperand a = c.x(0), d = c.second_operand(a);
  c.put_boolean(c.b.append(Op{a, d, {.label = c.label()}}));
}

void logical_not(Call& c) { c.put_boolean(c.b.logicalNot(c.x(), {.label = c.label()})); }
void is_nan(Call& c) { c.put_boolean(c.b.isNaN(c.x(), {.label = c.label()})); }

void is_inf(Call& c) {
  const MLOperand x = c.x();
  const bool negative = c.integer("detect_negative", 1) != 0;
  const bool positive = c.integer("detect_positive", 1) != 0;
  const MLOperand infinite = c.b.isInfinite(x, {.label = c.label()});
  const MLOperand zero = c.scalar_like(x, 0);
  if (positive && negative) c.put_boolean(infinite);
  else if (positive) c.put_boolean(c.b.logicalAnd(infinite, c.b.greater(x, zero)));
  else if (negative) c.put_boolean(c.b.logicalAnd(infinite, c.b.lesser(x, zero)));
  else c.put_boolean(c.b.logicalAnd(infinite, c.scalar(uint8, 0)));
}

void where(Call& c) { c.put_like(1, c.b.where(c.x(0), c.x(1), c.x(2), {.label = c.label()})); }

/// What a cast is to.
struct Target {
  ElementType type = ElementType::FLOAT;
  bool saturates = true;
  std::string_view mode = "up";  // of rounding to FLOAT8E8M0
};
/// Its attributes but the type.
Target target_of(const Call& c) {
  return {.saturates = c.integer("saturate", 1) != 0, .mode = c.text("round_mode", "up")};
}

/// A scale of 1 and a zero point of 0, with which elements of 4 bits are numbers.
std::pair<MLOperand, MLOperand> unit(Call& c, const MLOperand& x, MLOperandDataType type) {
  const Dims ones(x.rank(), 1);
  return {c.floats(float32, ones, {1}), c.b.constant({type, ones}, Block(1).constant())};
}
/// Elements of 8 bits and more.
MLOperand widened(Call& c, const MLOperand& x) {
  if (bits_of(x.dataType()) >= 8) return x;
  const auto [scale, zero] = unit(c, x, x.dataType());
  return c.b.dequantizeLinear(x, scale, zero, {.label = c.label()});
}

/// To a type that WebNN does not have, or has no such cast to.
void cast_to_narrow(Call& c, const MLOperand& x, const Target& to) {
  const auto type = data_type_of(to.type);
  if (type == float8e4m3) {  // without saturation: WebNN's cast saturates
    const MLOperand y = c.narrowed(c.cast(x, float32), to.type, false);
    c.put(c.b.cast(y, float8e4m3, {.label = c.label()}));
    return;
  }
  if (is_narrow_float(to.type)) {
    const MLOperand y = c.narrowed(c.cast(x, float32), to.type, to.saturates, to.mode);
    c.set(0, {.x = y, .narrow = to.type});
    return;
  }
  const MLOperand y = c.narrowed(c.cast(x, int32), to.type);
  if (type) {
    const auto [scale, zero] = unit(c, y, *type);
    c.put(c.b.quantizeLinear(c.cast(y, float32), scale, zero, {.label = c.label()}));
  } else {
    c.set(0, {.x = c.cast(y, *wider_type_of(to.type)), .narrow = to.type});
  }
}

void cast_to(Call& c, const Target& to) {
  const bool boolean = to.type == ElementType::BOOL;
  const bool narrow = is_narrow(to.type);
  MLOperandDataType type = float32;
  // Where all is known, no more than float32 was asked for.
  if (to.type == ElementType::DOUBLE && c.is_known(0)) type = float32;
  else type = narrow ? *wider_type_of(to.type) : c.data_type(to.type);
  if (c.empty(0)) {
    c.set(0, {.boolean = boolean,
              .narrow = narrow ? to.type : ElementType::UNDEFINED,
              .empty = c.shape(0),
              .type = type});
    return;
  }
  const MLOperand x = widened(c, c.x());
  if (bits_of(c.type(0)) < 8 && c.type(0) == type) c.put(c.b.identity(c.x()));
  else if (narrow || bits_of(type) < 8 ||
           (type == float8e4m3 && x.dataType() != type && !to.saturates))
    cast_to_narrow(c, x, to);
  else if (boolean && !c.in(0).boolean)
    c.put_boolean(c.b.notEqual(x, c.scalar_like(x, 0), {.label = c.label()}));
  else if (x.dataType() == type) c.set(0, {.x = x, .boolean = boolean});
  else c.put(c.b.cast(x, type, {.label = c.label()}));
}

void cast(Call& c) {
  Target to = target_of(c);
  to.type = ElementType::UNDEFINED;
  if (c.version() >= 6) to.type = c.element_type("to", to.type);
  else to.type = enum_from<ElementType>(c.text("to", "")).value_or(to.type);
  cast_to(c, to);
}

void cast_like(Call& c) {
  Target to = target_of(c);
  using enum ElementType;
  const Value& like = c.in(1);
  for (ElementType t : {FLOAT, FLOAT16, BFLOAT16, FLOAT8E4M3FN, INT32, UINT32, INT64, UINT64, INT8,
                        UINT8, INT4, UINT4})
    if (data_type_of(t) == c.type(1)) to.type = t;
  if (like.boolean) to.type = BOOL;
  if (like.narrow != UNDEFINED) to.type = like.narrow;
  cast_to(c, to);
}

constexpr Handler handlers[] = {
    {"And", &compare<ops::logicalAnd>, 1, 2, 2},
    {"Cast", &cast, 1, 1, 1, 1,
     "not to or from strings; to types that WebNN does not have as webnn.Narrow; to DOUBLE with "
     "narrow_double"},
    {"CastLike", &cast_like, 15, 2, 2, 1, "as Cast"},
    {"Equal", &compare<ops::equal>, 1, 2, 2},
    {"Greater", &compare<ops::greater>, 1, 2, 2},
    {"GreaterOrEqual", &compare<ops::greaterOrEqual>, 12, 2, 2},
    {"IsInf", &is_inf, 10, 1, 1},
    {"IsNaN", &is_nan, 9, 1, 1},
    {"Less", &compare<ops::lesser>, 1, 2, 2},
    {"LessOrEqual", &compare<ops::lesserOrEqual>, 12, 2, 2},
    {"Not", &logical_not, 1, 1, 1},
    {"Or", &compare<ops::logicalOr>, 1, 2, 2},
    {"Where", &where, 9, 3, 3},
    {"Xor", &compare<ops::logicalXor>, 1, 2, 2},
};

}  // namespace

std::span<const Handler> logical_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
