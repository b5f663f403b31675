// Inverse trigonometric and hyperbolic functions, of which WebNN has none: polynomials and
// logarithms of other operators.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

MLOperand constant(Call& c, const MLOperand& like, double v) { return c.scalar_like(like, v); }

/// A polynomial in x, whose first coefficient is that of the highest power.
MLOperand polynomial(Call& c, const MLOperand& x, std::initializer_list<double> coefficients) {
  std::optional<MLOperand> y;
  for (double k : coefficients)
    y = y ? c.b.add(c.b.mul(*y, x), constant(c, x, k)) : constant(c, x, k);
  return *y;
}

/// The arc tangent. |x| above tan(pi / 8) is first reduced: atan(x) = pi / 4 + atan((x - 1) / (x +
/// 1)), above tan(3 pi / 8) to pi / 2 - atan(1 / x). The series to x^17 / 17 is then exact to 1e-8.
MLOperand arc_tangent(Call& c, const MLOperand& x) {
  c.require_floats(x);
  const auto k = [&](double v) { return constant(c, x, v); };
  const MLOperand size = c.b.abs(x), one = k(1);
  const MLOperand large = c.b.greater(size, k(2.414213562373095));
  const MLOperand medium = c.b.greater(size, k(0.4142135623730951));
  const MLOperand reduced =
      c.b.where(large, c.b.neg(c.b.reciprocal(c.b.max(size, one))),
                c.b.where(medium, c.b.div(c.b.sub(size, one), c.b.add(size, one)), size));
  const MLOperand offset =
      c.b.where(large, k(1.5707963267948966), c.b.where(medium, k(0.7853981633974483), k(0)));
  const MLOperand square = c.b.mul(reduced, reduced);
  const MLOperand series = polynomial(
      c, square,
      {1.0 / 17, -1.0 / 15, 1.0 / 13, -1.0 / 11, 1.0 / 9, -1.0 / 7, 1.0 / 5, -1.0 / 3, 1.0});
  const MLOperand y = c.b.add(offset, c.b.mul(reduced, series));
  // Not as sign(x) * y, which makes NaN 0.
  return c.b.where(c.b.lesser(x, k(0)), c.b.neg(y), y);
}

void atan(Call& c) { c.put(arc_tangent(c, c.x())); }

/// atan(x / sqrt((1 - x) (1 + x)))
MLOperand arc_sine(Call& c, const MLOperand& x) {
  c.require_floats(x);
  const MLOperand one = constant(c, x, 1);
  const MLOperand root = c.b.sqrt(c.b.mul(c.b.sub(one, x), c.b.add(one, x)));
  return arc_tangent(c, c.b.div(x, root));
}
void asin(Call& c) { c.put(arc_sine(c, c.x())); }

/// 2 atan(sqrt((1 - x) / (1 + x)))
void acos(Call& c) {
  const MLOperand x = c.x();
  c.require_floats(x);
  const MLOperand one = constant(c, x, 1);
  const MLOperand ratio = c.b.div(c.b.sub(one, x), c.b.add(one, x));
  c.put(c.b.mul(arc_tangent(c, c.b.sqrt(ratio)), constant(c, x, 2), {.label = c.label()}));
}

/// log(1 + x) with the digits that 1 + x loses: log(u) * x / (u - 1) where u = 1 + x is not 1.
MLOperand log_of_one_plus(Call& c, const MLOperand& x) {
  const MLOperand one = constant(c, x, 1), u = c.b.add(x, one), rest = c.b.sub(u, one);
  const MLOperand same = c.b.equal(rest, constant(c, x, 0));
  const MLOperand ratio = c.b.div(x, c.b.where(same, one, rest));
  const MLOperand exact = c.b.mul(c.b.log(u), ratio);
  return c.b.where(same, x, c.b.where(c.b.isInfinite(u), u, exact));
}

/// sign(x) log(|x| + sqrt(x^2 + 1)), with |x| + x^2 / (1 + sqrt(x^2 + 1)) added to 1. Above 1e4 it
/// is log(2 |x|), whose square does not overflow.
void asinh(Call& c) {
  const MLOperand x = c.x();
  c.require_floats(x);
  const MLOperand size = c.b.abs(x), one = constant(c, x, 1);
  const MLOperand small = c.b.min(size, constant(c, x, 100)), square = c.b.mul(small, small);
  const MLOperand root = c.b.sqrt(c.b.add(square, one));
  const MLOperand near = log_of_one_plus(c, c.b.add(small, c.b.div(square, c.b.add(one, root))));
  const MLOperand inverse = c.b.reciprocal(c.b.max(size, one));
  const MLOperand far =
      c.b.add(c.b.add(c.b.log(c.b.max(size, one)), constant(c, x, 0.6931471805599453)),
              c.b.mul(c.b.mul(inverse, inverse), constant(c, x, 0.25)));
  const MLOperand y = c.b.where(c.b.greater(size, constant(c, x, 100)), far, near);
  c.put(c.b.where(c.b.lesser(x, constant(c, x, 0)), c.b.neg(y), y, {.label = c.label()}));
}

/// log(x + sqrt((x - 1) (x + 1)))
void acosh(Call& c) {
  const MLOperand x = c.x();
  c.require_floats(x);
  const MLOperand one = constant(c, x, 1), less = c.b.sub(x, one);
  const MLOperand small = c.b.min(less, constant(c, x, 100));
  const MLOperand root = c.b.sqrt(c.b.mul(small, c.b.add(small, constant(c, x, 2))));
  const MLOperand near = log_of_one_plus(c, c.b.add(small, root));
  const MLOperand safe = c.b.max(x, one), inverse = c.b.reciprocal(safe);
  const MLOperand far = c.b.sub(c.b.add(c.b.log(safe), constant(c, x, 0.6931471805599453)),
                                c.b.mul(c.b.mul(inverse, inverse), constant(c, x, 0.25)));
  c.put(c.b.where(c.b.greater(less, constant(c, x, 100)), far, near, {.label = c.label()}));
}

/// log((1 + x) / (1 - x)) / 2 = log(1 + 2 x / (1 - x)) / 2, of |x|.
void atanh(Call& c) {
  const MLOperand x = c.x();
  c.require_floats(x);
  const MLOperand size = c.b.abs(x), one = constant(c, x, 1);
  const MLOperand ratio = c.b.div(c.b.add(size, size), c.b.sub(one, size));
  const MLOperand y = c.b.mul(log_of_one_plus(c, ratio), constant(c, x, 0.5));
  c.put(c.b.where(c.b.lesser(x, constant(c, x, 0)), c.b.neg(y), y, {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {"Acos", &acos, 7, 1, 1, 1, "composed"}, {"Acosh", &acosh, 9, 1, 1, 1, "composed"},
    {"Asin", &asin, 7, 1, 1, 1, "composed"}, {"Asinh", &asinh, 9, 1, 1, 1, "composed"},
    {"Atan", &atan, 7, 1, 1, 1, "composed"}, {"Atanh", &atanh, 9, 1, 1, 1, "composed"},
};

}  // namespace

std::span<const Handler> inverse_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
