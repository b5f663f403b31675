#include "src/formats/tflite/import/call.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

template <class Options, class F> void binary(Call& c, F f) {
  const auto o = c.options<Options>();
  c.put(c.activated(f(c.value(0), c.value(1)), o.fused_activation_function));
}
void add(Call& c) {
  binary<schema::AddOptionsT>(
      c, [&](const auto& x, const auto& y) { return c.b.add(x, y, {.label = c.label()}); });
}
void sub(Call& c) {
  binary<schema::SubOptionsT>(
      c, [&](const auto& x, const auto& y) { return c.b.sub(x, y, {.label = c.label()}); });
}
void mul(Call& c) {
  binary<schema::MulOptionsT>(
      c, [&](const auto& x, const auto& y) { return c.b.mul(x, y, {.label = c.label()}); });
}
void div(Call& c) {
  binary<schema::DivOptionsT>(
      c, [&](const auto& x, const auto& y) { return c.b.div(x, y, {.label = c.label()}); });
}

void pow(Call& c) { c.put(c.b.pow(c.value(0), c.value(1), {.label = c.label()})); }

void squared_difference(Call& c) {
  const MLOperand d = c.b.sub(c.value(0), c.value(1));
  c.put(c.b.mul(d, d, {.label = c.label()}));
}

/// The order of quantized elements is that of their values, when the scales are the same.
template <class F> void extreme(Call& c, F f) {
  if (c.same_scales(0) && c.same_scales(1)) c.put_stored(f(c.stored(0), c.stored(1)));
  else c.put(f(c.value(0), c.value(1)));
}
void maximum(Call& c) {
  extreme(c, [&](const auto& x, const auto& y) { return c.b.max(x, y, {.label = c.label()}); });
}
void minimum(Call& c) {
  extreme(c, [&](const auto& x, const auto& y) { return c.b.min(x, y, {.label = c.label()}); });
}

/// The quotient of floats may have been rounded up to an integer: then the remainder is nearly the
/// divisor. Beyond 2^24 the distance of floats is more than that integer is off.
void floor_div_of_floats(Call& c, const MLOperand& x, const MLOperand& y) {
  const MLOperand quotient = c.b.div(x, y), down = c.b.floor(quotient);
  const MLOperand part = c.b.div(c.b.modulusFloor(x, y), y);
  const MLOperand rounded_up =
      c.b.logicalAnd(c.b.logicalAnd(c.b.equal(quotient, down),
                                    c.b.lesser(c.b.abs(down), c.scalar_like(down, 0x1p24))),
                     c.b.greater(part, c.scalar_like(part, 0.5)));
  c.put(c.b.sub(down, c.b.cast(rounded_up, down.dataType()), {.label = c.label()}));
}
void floor_div(Call& c) {
  const MLOperand x = c.value(0), y = c.value(1);
  if (types::floats.contains(x.dataType())) return floor_div_of_floats(c, x, y);
  const MLOperand quotient = c.b.div(x, y), rest = c.b.modulusTruncate(x, y);
  const MLOperand zero = c.scalar_like(rest, 0);
  const MLOperand signs = c.b.logicalXor(c.b.lesser(rest, zero), c.b.lesser(y, zero));
  const MLOperand rounded_up = c.b.logicalAnd(c.b.notEqual(rest, zero), signs);
  c.put(c.b.sub(quotient, c.b.cast(rounded_up, x.dataType()), {.label = c.label()}));
}

void floor_mod(Call& c) { c.put(c.b.modulusFloor(c.value(0), c.value(1), {.label = c.label()})); }

void add_n(Call& c) {
  MLOperand sum = c.value(0);
  for (std::size_t i = 1; i < c.inputs(); ++i) sum = c.b.add(sum, c.value(i));
  if (c.inputs() == 1) sum = c.b.identity(sum);
  c.put(sum);
}

constexpr Handler handlers[] = {
    {Code::ADD, add, 2, 2},
    {Code::SUB, sub, 2, 2},
    {Code::MUL, mul, 2, 2},
    {Code::DIV, div, 2, 2},
    {Code::POW, pow, 2, 2},
    {Code::SQUARED_DIFFERENCE, squared_difference, 2, 2},
    {Code::MAXIMUM, maximum, 2, 2},
    {Code::MINIMUM, minimum, 2, 2},
    {Code::FLOOR_DIV, floor_div, 2, 2},
    {Code::FLOOR_MOD, floor_mod, 2, 2},
    {Code::ADD_N, add_n, 1, many},
};

}  // namespace

std::span<const Handler> binary_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
