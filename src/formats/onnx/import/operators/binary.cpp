// Arithmetic of two and of more operands.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

template <class Op> void binary(Call& c) {
  const MLOperand a = c.x(0);
  c.put(c.b.append(Op{a, c.second_operand(a), {.label = c.label()}}));
}

template <class Op> MLOperand all_of(Call& c) {
  MLOperand y = c.x(0);
  if (c.version() < 8)  // these do not broadcast
    for (std::size_t i = 1; i < c.inputs(); ++i) c.require_shape(c.x(i), y, "one of its inputs");
  for (std::size_t i = 1; i < c.inputs(); ++i)
    y = c.b.append(Op{y, c.x(i), {.label = i + 1 == c.inputs() ? c.label() : std::string()}});
  return c.inputs() == 1 ? c.b.identity(y, {.label = c.label()}) : y;
}
template <class Op> void variadic(Call& c) { c.put(all_of<Op>(c)); }

void mean(Call& c) {
  const MLOperand sum = all_of<ops::add>(c);
  c.require_floats(sum);
  c.put(c.b.div(sum, c.scalar_like(sum, static_cast<double>(c.inputs()))));
}

/// The exponent may have another type, the result has that of the base.
void pow(Call& c) {
  MLOperand a = c.x(0), e = c.second_operand(a);
  const MLOperandDataType type = a.dataType();
  const bool floats = is_float(type) || is_float(e.dataType());
  if (a.dataType() != e.dataType()) {
    const MLOperandDataType common = !floats ? type : is_float(type) ? type : float32;
    a = c.cast(a, common);
    e = c.cast(e, common);
  }
  c.put(c.cast(c.b.pow(a, e, {.label = c.label()}), type));
}

void mod(Call& c) {
  const MLOperand a = c.x(0), d = c.x(1);
  const bool fmod = c.integer("fmod", 0) != 0;
  if (is_float(a.dataType()) && !fmod) c.refuse(fail("it is of {}, but fmod is 0", a.dataType()));
  if (fmod) c.put(c.b.modulusTruncate(a, d, {.label = c.label()}));
  else c.put(c.b.modulusFloor(a, d, {.label = c.label()}));
}

void bit_shift(Call& c) {
  const MLOperand a = c.x(0), n = c.x(1);
  const std::string_view direction = c.text("direction", "");
  // 2 to the power of n is 0 when it does not fit, and so is a quotient by 0.
  const MLOperand power = c.b.pow(c.scalar_like(a, 2), n);
  if (direction == "LEFT") c.put(c.b.mul(a, power, {.label = c.label()}));
  else if (direction == "RIGHT") c.put(c.b.div(a, power, {.label = c.label()}));
  else c.refuse(fail("its direction, {}, is not LEFT or RIGHT", in_quotes(direction)));
}

void bias_gelu(Call& c) {
  c.require_broadcast(c.x(1), c.x(0), "the bias");
  c.put(c.b.gelu(c.b.add(c.x(0), c.x(1)), {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {"Add", &binary<ops::add>, 1, 2, 2},
    {"BitShift", &bit_shift, 11, 2, 2, 1, "as a product with or a quotient by a power of 2"},
    {"Div", &binary<ops::div>, 1, 2, 2},
    {"Max", &variadic<ops::max>, 1, 1, many},
    {"Mean", &mean, 1, 1, many},
    {"Min", &variadic<ops::min>, 1, 1, many},
    {"Mod", &mod, 10, 2, 2, 1, "floats with fmod = 1"},
    {"Mul", &binary<ops::mul>, 1, 2, 2},
    {"Pow", &pow, 1, 2, 2},
    {"Sub", &binary<ops::sub>, 1, 2, 2},
    {"Sum", &variadic<ops::add>, 1, 1, many},
    {"BiasGelu", &bias_gelu, 1, 2, 2, 1, "", "com.microsoft"},
};

}  // namespace

std::span<const Handler> binary_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
