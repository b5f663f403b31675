// Operators of one, two and three operands, element by element, and softmax.
#include <cmath>
#include <limits>

#include "src/formats/nnrt/export/lower.h"

namespace webnn::inline v0_1::nnrt::exporter {

using enum ActivationType;

namespace {

template <class A, class Op> Values unary(LoweringContext& s, const Op& op, A attributes = {}) {
  return s.e().like(std::move(attributes), {s(op.input)});
}
template <class Op> Values activation(LoweringContext& s, const Op& op, Activation a) {
  return unary(s, op, a);
}
template <class A, class Op> Values binary(LoweringContext& s, const Op& op, A attributes = {}) {
  return s.e().like(std::move(attributes), {s(op.a), s(op.b)}, s.shape());
}
template <class A, class Op> Values comparison(LoweringContext& s, const Op& op) {
  return s.e().truth(A{}, {s(op.a), s(op.b)}, s.shape());
}
template <class A, class Op> Values logical(LoweringContext& s, const Op& op) {
  return s.e().truth(A{}, {s.truth(op.a), s.truth(op.b)}, s.shape());
}

}  // namespace

Values lower(LoweringContext& s, const ops::abs& op) { return unary<Abs>(s, op); }
Values lower(LoweringContext& s, const ops::ceil& op) { return unary<Ceil>(s, op); }
Values lower(LoweringContext& s, const ops::cos& op) { return unary<Cos>(s, op); }
Values lower(LoweringContext& s, const ops::erf& op) { return unary<Erf>(s, op); }
Values lower(LoweringContext& s, const ops::floor& op) { return unary<Floor>(s, op); }
Values lower(LoweringContext& s, const ops::log& op) { return unary<Log>(s, op); }
Values lower(LoweringContext& s, const ops::neg& op) { return unary<Neg>(s, op); }
Values lower(LoweringContext& s, const ops::reciprocal& op) { return unary<Reciprocal>(s, op); }
Values lower(LoweringContext& s, const ops::roundEven& op) { return unary<Round>(s, op); }
Values lower(LoweringContext& s, const ops::sin& op) { return unary<Sin>(s, op); }
Values lower(LoweringContext& s, const ops::sqrt& op) { return unary<Sqrt>(s, op); }
Values lower(LoweringContext& s, const ops::exp& op) {
  return unary(s, op, ExpFusion{.base = -1, .scale = 1, .shift = 0});
}
Values lower(LoweringContext& s, const ops::tan& op) {
  const Value x = s(op.input);
  return s.e().like(DivFusion{}, {s.e().like(Sin{}, {x}), s.e().like(Cos{}, {x})});
}
Values lower(LoweringContext& s, const ops::identity& op) { return s.e().copy(s(op.input)); }

Values lower(LoweringContext& s, const ops::sign& op) {
  return activation(s, op, {.activationType = ACTIVATION_TYPE_SIGN});
}
Values lower(LoweringContext& s, const ops::elu& op) {
  return activation(
      s, op,
      {.activationType = ACTIVATION_TYPE_ELU, .alpha = static_cast<float>(op.options.alpha)});
}
Values lower(LoweringContext& s, const ops::gelu& op) {
  return activation(s, op, {.activationType = ACTIVATION_TYPE_GELU});
}
Values lower(LoweringContext& s, const ops::hardSwish& op) {
  return activation(s, op, {.activationType = ACTIVATION_TYPE_HSWISH});
}
Values lower(LoweringContext& s, const ops::sigmoid& op) {
  return activation(s, op, {.activationType = ACTIVATION_TYPE_SIGMOID});
}
Values lower(LoweringContext& s, const ops::softplus& op) {
  return activation(s, op, {.activationType = ACTIVATION_TYPE_SOFTPLUS});
}
Values lower(LoweringContext& s, const ops::softsign& op) {
  return activation(s, op, {.activationType = ACTIVATION_TYPE_SOFTSIGN});
}
Values lower(LoweringContext& s, const ops::tanh& op) {
  return activation(s, op, {.activationType = ACTIVATION_TYPE_TANH});
}
Values lower(LoweringContext& s, const ops::leakyRelu& op) {
  return unary(s, op, LeakyRelu{.negativeSlope = static_cast<float>(op.options.alpha)});
}

namespace {

Value line(Emitter& e, Value x, double alpha, double beta) {
  return e.binary(AddFusion{}, e.binary(MulFusion{}, x, alpha), beta);
}

}  // namespace

Values lower(LoweringContext& s, const ops::linear& op) {
  return line(s.e(), s(op.input), op.options.alpha, op.options.beta);
}
Values lower(LoweringContext& s, const ops::hardSigmoid& op) {
  return s.e().like(Clip{.max = 1, .min = 0},
                    {line(s.e(), s(op.input), op.options.alpha, op.options.beta)});
}

Values lower(LoweringContext& s, const ops::relu& op) {
  const Value x = s(op.input);
  if (!types::floats.contains(s.type())) return s.e().binary(Maximum{}, x, 0);
  return s.e().like(Activation{.activationType = ACTIVATION_TYPE_RELU}, {x});
}
Values lower(LoweringContext& s, const ops::clamp& op) {
  Emitter& e = s.e();
  const Value x = s(op.input);
  const auto &low = op.options.minValue, &high = op.options.maxValue;
  if (!types::floats.contains(s.type())) {
    constexpr double exact = 9007199254740992;  // integers of more bits are not all doubles
    for (const auto* bound : {&low, &high})
      if (*bound && std::abs((*bound)->as_double()) > exact)
        return s.refuse(fail("a bound has more than 53 bits"));
    Value y = x;
    if (low) y = e.binary(Maximum{}, y, low->to(s.type()).as_double());
    if (high) y = e.binary(Minimum{}, y, high->to(s.type()).as_double());
    return y == x ? e.copy(x) : y;
  }
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float min = low ? static_cast<float>(low->as_double()) : -inf,
              max = high ? static_cast<float>(high->as_double()) : inf;
  return e.like(Clip{.max = max, .min = min}, {x});
}
Values lower(LoweringContext& s, const ops::prelu& op) {
  Emitter& e = s.e();
  const Value x = s(op.input), slope = s(op.slope);
  if (e.shape(slope).size() == 1 && e.shape(x).size() > 1 && e.shape(slope)[0] == e.shape(x).back())
    return e.like(PReLUFusion{}, {x, slope});
  const Value above = e.binary(Maximum{}, x, 0), below = e.binary(Minimum{}, x, 0);
  return e.binary(AddFusion{}, above, e.binary(MulFusion{}, below, slope));
}

Values lower(LoweringContext& s, const ops::add& op) { return binary<AddFusion>(s, op); }
Values lower(LoweringContext& s, const ops::sub& op) { return binary<SubFusion>(s, op); }
Values lower(LoweringContext& s, const ops::mul& op) { return binary<MulFusion>(s, op); }
Values lower(LoweringContext& s, const ops::div& op) { return binary<DivFusion>(s, op); }
Values lower(LoweringContext& s, const ops::max& op) { return binary<Maximum>(s, op); }
Values lower(LoweringContext& s, const ops::min& op) { return binary<Minimum>(s, op); }
Values lower(LoweringContext& s, const ops::modulusFloor& op) { return binary<Mod>(s, op); }
/// Floats have the remainder of what is not negative; that of integers is moved by b where it has
/// not the sign of a. Floats would be rounded, and the lowest integer has no absolute value.
Values lower(LoweringContext& s, const ops::modulusTruncate& op) {
  Emitter& e = s.e();
  const Value a = s(op.a), b = s(op.b);
  const bool floats = types::floats.contains(s.type());
  const auto whole = [&](Value x) { return e.broadcast(x, s.shape()); };
  const auto select = [&](Value condition, Value x, Value y) {
    return e.node(Select{}, {whole(condition), whole(x), whole(y)}, s.type(), s.shape());
  };
  const auto truth = [&](Attributes attributes, Value x, Value y) {
    return e.truth(std::move(attributes), {whole(x), whole(y)}, s.shape());
  };
  const Value zero = e.filled(s.type(), Dims(s.shape().size(), 1), 0);
  if (floats) {
    const Value size = e.like(Abs{}, {a}), by = e.like(Abs{}, {b});
    const Value rest = e.node(Mod{}, {size, by}, s.type(), s.shape());
    const Value with_sign = select(truth(Less{}, a, zero), e.like(Neg{}, {rest}), rest);
    return select(truth(Less{}, size, by), a, with_sign);
  }
  const Value rest = e.node(Mod{}, {a, b}, s.type(), s.shape());
  const Value differs = truth(NotEqual{}, truth(Less{}, rest, zero), truth(Less{}, a, zero));
  const Value moves = truth(LogicalAnd{}, truth(NotEqual{}, rest, zero), differs);
  return select(moves, e.node(SubFusion{}, {rest, b}, s.type(), s.shape()), rest);
}
Values lower(LoweringContext& s, const ops::pow& op) {
  return binary(s, op, PowFusion{.scale = 1, .shift = 0});
}
Values lower(LoweringContext& s, const ops::equal& op) { return comparison<Equal>(s, op); }
Values lower(LoweringContext& s, const ops::notEqual& op) { return comparison<NotEqual>(s, op); }
Values lower(LoweringContext& s, const ops::greater& op) { return comparison<Greater>(s, op); }
Values lower(LoweringContext& s, const ops::greaterOrEqual& op) {
  return comparison<GreaterEqual>(s, op);
}
Values lower(LoweringContext& s, const ops::lesser& op) { return comparison<Less>(s, op); }
Values lower(LoweringContext& s, const ops::lesserOrEqual& op) {
  return comparison<LessEqual>(s, op);
}
Values lower(LoweringContext& s, const ops::logicalAnd& op) { return logical<LogicalAnd>(s, op); }
Values lower(LoweringContext& s, const ops::logicalOr& op) { return logical<LogicalOr>(s, op); }
Values lower(LoweringContext& s, const ops::logicalXor& op) { return logical<NotEqual>(s, op); }
Values lower(LoweringContext& s, const ops::logicalNot& op) {
  return s.e().truth(LogicalNot{}, {s.truth(op.a)}, s.shape());
}
Values lower(LoweringContext& s, const ops::isNaN& op) {
  const Value x = s(op.a);
  return s.e().truth(NotEqual{}, {x, x}, s.shape());
}
Values lower(LoweringContext& s, const ops::isInfinite& op) {
  Emitter& e = s.e();
  const Value x = s(op.a);
  const Value inf = e.filled(e.type(x), e.ones_like(x), std::numeric_limits<double>::infinity());
  return e.truth(Equal{}, {e.like(Abs{}, {x}), inf}, s.shape());
}
Values lower(LoweringContext& s, const ops::where& op) {
  Emitter& e = s.e();
  const auto whole = [&](Value x) { return e.broadcast(x, s.shape()); };
  return e.node(Select{},
                {whole(s.truth(op.condition)), whole(s(op.trueValue)), whole(s(op.falseValue))},
                s.type(), s.shape());
}
Values lower(LoweringContext& s, const ops::cast& op) {
  return s.e().cast(s(op.input), op.dataType);
}
Values lower(LoweringContext& s, const ops::softmax& op) {
  return unary(s, op, Softmax{.axis = {op.axis}});
}

}  // namespace webnn::inline v0_1::nnrt::exporter
