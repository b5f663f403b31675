// Operators of one and of two operands, element by element.
#include <cmath>

#include "src/formats/nnrt/import/importer.h"

namespace webnn::inline v0_1::nnrt {
namespace {

using Options = MLOperatorOptions;
using X = const MLOperand&;

template <auto F> void unary(Call& c, const Attributes&) {
  c.put(F(c.b, c.value(0), Options{c.label()}));
}
MLOperand abs(MLGraphBuilder& b, X x, Options o) { return b.abs(x, o); }
MLOperand ceil(MLGraphBuilder& b, X x, Options o) { return b.ceil(x, o); }
MLOperand cos(MLGraphBuilder& b, X x, Options o) { return b.cos(x, o); }
MLOperand erf(MLGraphBuilder& b, X x, Options o) { return b.erf(x, o); }
MLOperand floor(MLGraphBuilder& b, X x, Options o) { return b.floor(x, o); }
MLOperand log(MLGraphBuilder& b, X x, Options o) { return b.log(x, o); }
MLOperand neg(MLGraphBuilder& b, X x, Options o) { return b.neg(x, o); }
MLOperand reciprocal(MLGraphBuilder& b, X x, Options o) { return b.reciprocal(x, o); }
MLOperand round(MLGraphBuilder& b, X x, Options o) { return b.roundEven(x, o); }
MLOperand rsqrt(MLGraphBuilder& b, X x, Options o) { return b.reciprocal(b.sqrt(x), o); }
MLOperand sin(MLGraphBuilder& b, X x, Options o) { return b.sin(x, o); }
MLOperand sqrt(MLGraphBuilder& b, X x, Options o) { return b.sqrt(x, o); }
MLOperand square(MLGraphBuilder& b, X x, Options o) { return b.mul(x, x, o); }
MLOperand logical_not(MLGraphBuilder& b, X x, Options o) { return b.logicalNot(x, o); }

/// A scalar of another type takes the type of the other operand.
template <auto F> MLOperand of_two(Call& c) {
  MLOperand x = c.value(0), y = c.value(1);
  if (x.dataType() != y.dataType()) {
    if (element_count(y.shape()) == 1) y = c.b.cast(y, x.dataType());
    else if (element_count(x.shape()) == 1) x = c.b.cast(x, y.dataType());
  }
  return F(c.b, x, y, Options{c.label()});
}
template <auto F> void binary(Call& c, const Attributes&) { c.put(of_two<F>(c)); }
template <class A, auto F> void activated(Call& c, const Attributes& a) {
  c.put(c.activated(of_two<F>(c), std::get<A>(a).activationType));
}
MLOperand add(MLGraphBuilder& b, X x, X y, Options o) { return b.add(x, y, o); }
MLOperand sub(MLGraphBuilder& b, X x, X y, Options o) { return b.sub(x, y, o); }
MLOperand mul(MLGraphBuilder& b, X x, X y, Options o) { return b.mul(x, y, o); }
MLOperand div(MLGraphBuilder& b, X x, X y, Options o) { return b.div(x, y, o); }
MLOperand max(MLGraphBuilder& b, X x, X y, Options o) { return b.max(x, y, o); }
MLOperand min(MLGraphBuilder& b, X x, X y, Options o) { return b.min(x, y, o); }
MLOperand equal(MLGraphBuilder& b, X x, X y, Options o) { return b.equal(x, y, o); }
MLOperand not_equal(MLGraphBuilder& b, X x, X y, Options o) { return b.notEqual(x, y, o); }
MLOperand greater(MLGraphBuilder& b, X x, X y, Options o) { return b.greater(x, y, o); }
MLOperand greater_equal(MLGraphBuilder& b, X x, X y, Options o) {
  return b.greaterOrEqual(x, y, o);
}
MLOperand less(MLGraphBuilder& b, X x, X y, Options o) { return b.lesser(x, y, o); }
MLOperand less_equal(MLGraphBuilder& b, X x, X y, Options o) { return b.lesserOrEqual(x, y, o); }
MLOperand logical_and(MLGraphBuilder& b, X x, X y, Options o) { return b.logicalAnd(x, y, o); }
MLOperand logical_or(MLGraphBuilder& b, X x, X y, Options o) { return b.logicalOr(x, y, o); }
MLOperand squared_difference(MLGraphBuilder& b, X x, X y, Options o) {
  const MLOperand d = b.sub(x, y);
  return b.mul(d, d, o);
}
/// The remainder has the sign of the divisor.
MLOperand mod(MLGraphBuilder& b, X x, X y, Options o) { return b.modulusFloor(x, y, o); }

void activation(Call& c, const Activation& a) {
  const MLOperand x = c.value(0);
  const MLOperand y = c.activated(x, a.activationType, a);
  c.put(y.is(x) ? c.b.identity(x, {.label = c.label()}) : y);
}
void clip(Call& c, const Clip& a) {
  c.put(c.b.clamp(c.value(0), {.minValue = a.min, .maxValue = a.max, .label = c.label()}));
}
void eltwise(Call& c, const Eltwise& a) {
  switch (a.mode) {
    case EltwiseMode::ELTWISE_MODE_PROD: return c.put(of_two<mul>(c));
    case EltwiseMode::ELTWISE_MODE_SUM: return c.put(of_two<add>(c));
    case EltwiseMode::ELTWISE_MODE_MAXIMUM: return c.put(of_two<max>(c));
    default: c.refuse(fail("the mode {} is not one of the interface", enumerator(a.mode)));
  }
}
/// base ^ (shift + scale * x); the base -1 stands for e.
void exp(Call& c, const ExpFusion& a) {
  if (a.base != -1 && !(a.base > 0)) c.refuse(fail("the base ({}) is not greater than 0", a.base));
  const double factor = a.base == -1 ? 1 : std::log(static_cast<double>(a.base));
  MLOperand x = c.value(0);
  if (a.scale * factor != 1 || a.shift != 0)
    x = c.b.linear(x, {.alpha = a.scale * factor, .beta = a.shift * factor});
  c.put(c.b.exp(x, {.label = c.label()}));
}
void leaky_relu(Call& c, const LeakyRelu& a) {
  c.put(c.b.leakyRelu(c.value(0), {.alpha = a.negativeSlope, .label = c.label()}));
}
void pow(Call& c, const PowFusion& a) {
  MLOperand x = c.value(0), y = c.value(1);
  if (a.scale != 1 || a.shift != 0) x = c.b.linear(x, {.alpha = a.scale, .beta = a.shift});
  if (y.dataType() != x.dataType()) y = c.b.cast(y, x.dataType());
  c.put(c.b.pow(x, y, {.label = c.label()}));
}
/// A condition of one dimension is along the first one of what is selected.
void select(Call& c, const Attributes&) {
  MLOperand condition = c.stored(0);
  const MLOperand x = c.value(1);
  if (condition.rank() == 1 && x.rank() > 1 && condition.shape()[0] == x.shape()[0]) {
    Dims shape(x.rank(), 1);
    shape[0] = x.shape()[0];
    condition = c.b.reshape(condition, shape);
  }
  c.put(c.b.where(condition, x, c.value(2), {.label = c.label()}));
}

using enum NodeType;
constexpr Rule rules[] = {
    {NODE_TYPE_ABS, unary<abs>, 1, 1},
    {NODE_TYPE_CEIL, unary<ceil>, 1, 1},
    {NODE_TYPE_COS, unary<cos>, 1, 1},
    {NODE_TYPE_ERF, unary<erf>, 1, 1},
    {NODE_TYPE_FLOOR, unary<floor>, 1, 1},
    {NODE_TYPE_LOG, unary<log>, 1, 1},
    {NODE_TYPE_NEG, unary<neg>, 1, 1},
    {NODE_TYPE_RECIPROCAL, unary<reciprocal>, 1, 1},
    {NODE_TYPE_ROUND, unary<round>, 1, 1},
    {NODE_TYPE_RSQRT, unary<rsqrt>, 1, 1},
    {NODE_TYPE_SIN, unary<sin>, 1, 1},
    {NODE_TYPE_SQRT, unary<sqrt>, 1, 1},
    {NODE_TYPE_SQUARE, unary<square>, 1, 1},
    {NODE_TYPE_LOGICAL_NOT, unary<logical_not>, 1, 1},
    {NODE_TYPE_ADD_FUSION, activated<AddFusion, add>, 2, 2},
    {NODE_TYPE_SUB_FUSION, activated<SubFusion, sub>, 2, 2},
    {NODE_TYPE_MUL_FUSION, activated<MulFusion, mul>, 2, 2},
    {NODE_TYPE_DIV_FUSION, activated<DivFusion, div>, 2, 2},
    {NODE_TYPE_REAL_DIV, binary<div>, 2, 2},
    {NODE_TYPE_MAXIMUM, binary<max>, 2, 2},
    {NODE_TYPE_MINIMUM, binary<min>, 2, 2},
    {NODE_TYPE_EQUAL, binary<equal>, 2, 2},
    {NODE_TYPE_NOT_EQUAL, binary<not_equal>, 2, 2},
    {NODE_TYPE_GREATER, binary<greater>, 2, 2},
    {NODE_TYPE_GREATER_EQUAL, binary<greater_equal>, 2, 2},
    {NODE_TYPE_LESS, binary<less>, 2, 2},
    {NODE_TYPE_LESS_EQUAL, binary<less_equal>, 2, 2},
    {NODE_TYPE_LOGICAL_AND, binary<logical_and>, 2, 2},
    {NODE_TYPE_LOGICAL_OR, binary<logical_or>, 2, 2},
    {NODE_TYPE_SQUARED_DIFFERENCE, binary<squared_difference>, 2, 2},
    {NODE_TYPE_MOD, binary<mod>, 2, 2},
    {NODE_TYPE_ACTIVATION, handle<Activation, activation>, 1, 1},
    {NODE_TYPE_CLIP, handle<Clip, clip>, 1, 1},
    {NODE_TYPE_ELTWISE, handle<Eltwise, eltwise>, 2, 2},
    {NODE_TYPE_EXPFUSION, handle<ExpFusion, exp>, 1, 1},
    {NODE_TYPE_LEAKY_RELU, handle<LeakyRelu, leaky_relu>, 1, 1},
    {NODE_TYPE_POW_FUSION, handle<PowFusion, pow>, 2, 2},
    {NODE_TYPE_WHERE, select, 3, 3},
    {NODE_TYPE_SELECT, select, 3, 3},
};

}  // namespace

std::span<const Rule> elementwise_rules() { return rules; }

}  // namespace webnn::inline v0_1::nnrt
