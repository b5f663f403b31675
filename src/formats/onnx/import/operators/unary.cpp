// Functions of one operand.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

template <class Op> void unary(Call& c) {
  const MLOperand x = c.x();
  c.put_like(0, c.b.append(Op{x, {.label = c.label()}}));
}

/// Unsigned numbers are their own absolute values.
void abs(Call& c) {
  const MLOperand x = c.x();
  if (is_float(x.dataType())) c.require_floats(x);
  if (types::signed_numbers.contains(x.dataType())) c.put(c.b.abs(x, {.label = c.label()}));
  else c.put(c.b.identity(x, {.label = c.label()}));
}
void sign(Call& c) {
  const MLOperand x = c.x();
  if (is_float(x.dataType())) c.require_floats(x);
  if (types::signed_numbers.contains(x.dataType())) c.put(c.b.sign(x, {.label = c.label()}));
  else c.put(c.b.min(x, c.scalar_like(x, 1), {.label = c.label()}));
}

void identity(Call& c) {
  const Value& v = c.in(0);
  if (v.sequence) c.set(0, {.sequence = v.sequence});
  else if (v.empty) c.put_empty(*v.empty, v.type);
  else c.set(0, {.x = c.x(), .boolean = v.boolean});
}

MLOperand hyperbolic(Call& c, bool sine) {
  const MLOperand x = c.x();
  const MLOperand e = c.b.exp(x), half = c.scalar_like(x, 0.5);
  if (!sine) return c.b.mul(c.b.add(e, c.b.reciprocal(e)), half, {.label = c.label()});
  // Near 0 the difference loses what 2 t / (1 - t^2) with t = tanh(x / 2) keeps.
  const MLOperand t = c.b.tanh(c.b.mul(x, half)), one = c.scalar_like(x, 1);
  const MLOperand near = c.b.div(c.b.mul(t, c.scalar_like(x, 2)), c.b.sub(one, c.b.mul(t, t)));
  const MLOperand far = c.b.mul(c.b.sub(e, c.b.reciprocal(e)), half);
  return c.b.where(c.b.lesser(c.b.abs(x), one), near, far, {.label = c.label()});
}
void cosh(Call& c) { c.put(hyperbolic(c, false)); }
void sinh(Call& c) { c.put(hyperbolic(c, true)); }

constexpr Handler handlers[] = {
    {"Abs", &abs, 1, 1, 1},
    {"Ceil", &unary<ops::ceil>, 1, 1, 1},
    {"Cos", &unary<ops::cos>, 7, 1, 1},
    {"Cosh", &cosh, 9, 1, 1, 1, "composed"},
    {"Erf", &unary<ops::erf>, 9, 1, 1},
    {"Exp", &unary<ops::exp>, 1, 1, 1},
    {"Floor", &unary<ops::floor>, 1, 1, 1},
    {"Identity", &identity, 1, 1, 1},
    {"Log", &unary<ops::log>, 1, 1, 1},
    {"Neg", &unary<ops::neg>, 1, 1, 1},
    {"Reciprocal", &unary<ops::reciprocal>, 1, 1, 1},
    {"Round", &unary<ops::roundEven>, 11, 1, 1},
    {"Sign", &sign, 9, 1, 1},
    {"Sin", &unary<ops::sin>, 7, 1, 1},
    {"Sinh", &sinh, 9, 1, 1, 1, "composed"},
    {"Sqrt", &unary<ops::sqrt>, 1, 1, 1},
    {"Tan", &unary<ops::tan>, 7, 1, 1},
};

}  // namespace

std::span<const Handler> unary_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
