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

void cast_to(Call& c, ElementType to, bool boolean) {
  MLOperandDataType type = float32;
  // Where all is known, no more than float32 was asked for.
  if (to == ElementType::DOUBLE && c.is_known(0)) type = float32;
  else type = c.data_type(to);
  if (c.empty(0)) {
    c.put_empty(c.shape(0), type);
    return;
  }
  MLOperand x = c.x();
  if (bits_of(x.dataType()) < 8 || bits_of(type) < 8)
    c.unsupported(fail("WebNN has no cast from {} to {}", x.dataType(), type));
  if (boolean && !c.in(0).boolean)
    c.put_boolean(c.b.notEqual(x, c.scalar_like(x, 0), {.label = c.label()}));
  else if (x.dataType() == type) c.set(0, {.x = x, .boolean = boolean});
  else c.put(c.b.cast(x, type, {.label = c.label()}));
}

void cast(Call& c) {
  c.ignore("saturate");  // for FLOAT8, which is refused
  c.ignore("round_mode");
  ElementType to = ElementType::UNDEFINED;
  if (c.version() >= 6) to = c.element_type("to", to);
  else to = enum_from<ElementType>(c.text("to", "")).value_or(to);
  cast_to(c, to, to == ElementType::BOOL);
}

void cast_like(Call& c) {
  c.ignore("saturate");
  c.ignore("round_mode");
  const bool boolean = c.in(1).boolean;
  using enum ElementType;
  ElementType to = FLOAT;
  for (ElementType t : {FLOAT, FLOAT16, INT32, UINT32, INT64, UINT64, INT8, UINT8, INT4, UINT4})
    if (data_type_of(t) == c.type(1)) to = t;
  cast_to(c, boolean ? BOOL : to, boolean);
}

constexpr Handler handlers[] = {
    {"And", &compare<ops::logicalAnd>, 1, 2, 2},
    {"Cast", &cast, 1, 1, 1, 1,
     "not to or from strings, 4 and 16 bits; to DOUBLE with narrow_double"},
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
