// Opt-in: operators on operands, and chaining from an operand.
//   fluent::Operand x = b.input("x", {...});
//   MLOperand y = (x * 0.2f + bias).relu().softmax(1);
// Everything goes through the builder that made the operand, and throws what its methods throw.
// The methods are those of the builder without their first operand, derived from the same
// declarations; concat joins the operand with those it is given.
#pragma once

#include "webnn/graph_builder.h"

namespace webnn::fluent {

class Operand : public MLOperand, public ops::Sections::Methods<Operand, Operand> {
 public:
  Operand() = default;
  Operand(MLOperand x) : MLOperand(std::move(x)) {}

  template <class Op, class... A> auto call(A&&... arguments) {
    MLGraphBuilder b = builder_of(*this);
    if constexpr (ops::returns_list<Op>()) {
      const auto all = b.call<Op>(self(), std::forward<A>(arguments)...);
      return std::vector<Operand>(all.begin(), all.end());
    } else if constexpr (std::is_same_v<Op, ops::concat>) {
      return joined(b, std::forward<A>(arguments)...);
    } else {
      return Operand(b.call<Op>(self(), std::forward<A>(arguments)...));
    }
  }

 private:
  const MLOperand& self() const { return *this; }
  Operand joined(MLGraphBuilder& b, std::vector<MLOperand> others, std::uint32_t axis,
                 MLOperatorOptions options) {
    others.insert(others.begin(), *this);
    return b.concat(std::move(others), axis, std::move(options));
  }
};

}  // namespace webnn::fluent

namespace webnn {

namespace detail {
template <class T>
concept FluentNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept FluentOperand = std::is_base_of_v<MLOperand, T>;
/// A number becomes a constant of the other operand's data type.
template <FluentNumber T> MLOperand fluent_operand(T value, const MLOperand& like) {
  return builder_of(like).constant(like.dataType(), value);
}
inline const MLOperand& fluent_operand(const MLOperand& x, const MLOperand&) { return x; }

template <class Op, class A, class B> fluent::Operand fluent_binary(const A& a, const B& b) {
  if constexpr (FluentOperand<A>) return builder_of(a).append(Op{a, fluent_operand(b, a)});
  else return builder_of(b).append(Op{fluent_operand(a, b), b});
}
/// Two operands, or an operand and a number.
template <class A, class B>
concept FluentPair = (FluentOperand<A> && (FluentOperand<B> || FluentNumber<B>)) ||
                     (FluentNumber<A> && FluentOperand<B>);
}  // namespace detail

template <class A, class B>
requires detail::FluentPair<A, B> fluent::Operand operator+(const A& a, const B& b) {
  return detail::fluent_binary<ops::add>(a, b);
}
template <class A, class B>
requires detail::FluentPair<A, B> fluent::Operand operator-(const A& a, const B& b) {
  return detail::fluent_binary<ops::sub>(a, b);
}
template <class A, class B>
requires detail::FluentPair<A, B> fluent::Operand operator*(const A& a, const B& b) {
  return detail::fluent_binary<ops::mul>(a, b);
}
template <class A, class B>
requires detail::FluentPair<A, B> fluent::Operand operator/(const A& a, const B& b) {
  return detail::fluent_binary<ops::div>(a, b);
}
inline fluent::Operand operator-(const MLOperand& x) { return builder_of(x).append(ops::neg{x}); }

// Comparisons give uint8 operands of 0 and 1, as the spec's.
template <class A, class B>
requires detail::FluentPair<A, B> fluent::Operand operator<(const A& a, const B& b) {
  return detail::fluent_binary<ops::lesser>(a, b);
}
template <class A, class B>
requires detail::FluentPair<A, B> fluent::Operand operator<=(const A& a, const B& b) {
  return detail::fluent_binary<ops::lesserOrEqual>(a, b);
}
template <class A, class B>
requires detail::FluentPair<A, B> fluent::Operand operator>(const A& a, const B& b) {
  return detail::fluent_binary<ops::greater>(a, b);
}
template <class A, class B>
requires detail::FluentPair<A, B> fluent::Operand operator>=(const A& a, const B& b) {
  return detail::fluent_binary<ops::greaterOrEqual>(a, b);
}
template <class A, class B>
requires detail::FluentPair<A, B> fluent::Operand operator==(const A& a, const B& b) {
  return detail::fluent_binary<ops::equal>(a, b);
}
template <class A, class B>
requires detail::FluentPair<A, B> fluent::Operand operator!=(const A& a, const B& b) {
  return detail::fluent_binary<ops::notEqual>(a, b);
}

// On uint8 operands, where everything but 0 is true.
inline fluent::Operand operator!(const MLOperand& x) {
  return builder_of(x).append(ops::logicalNot{x});
}
inline fluent::Operand operator&(const MLOperand& a, const MLOperand& b) {
  return detail::fluent_binary<ops::logicalAnd>(a, b);
}
inline fluent::Operand operator|(const MLOperand& a, const MLOperand& b) {
  return detail::fluent_binary<ops::logicalOr>(a, b);
}
inline fluent::Operand operator^(const MLOperand& a, const MLOperand& b) {
  return detail::fluent_binary<ops::logicalXor>(a, b);
}

}  // namespace webnn
