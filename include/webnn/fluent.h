// Opt-in: operators on operands, and chaining from an operand.
//   fluent::Operand x = b.input("x", {...});
//   MLOperand y = (x * 0.2f + bias).relu().softmax(1);
// Everything goes through the builder that made the operand, and throws what its methods throw.
// The methods are those of the builder without their first operand, derived from the same
// declarations; concat joins the operand with those it is given. fluent::max(x, 0),
// fluent::pow(x, 2) and the like take numbers too.
//
// A number in an expression has the data type of the operand. One that this type does not have,
// 0.5 for int32 or 300 for uint8, is a TypeError. Comparisons make operands, not truths:
// `if (x == y)` and `x && y` do not compile.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <ranges>
#include <utility>

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::fluent {

class Operand : public MLOperand,
                public ops::Sections::Methods<Operand, Operand>,
                public ops::ShapeSections::Methods<Operand, Operand> {
 public:
  // Not the operators of these names, which are methods of the builder alone.
  using MLOperand::rank;
  using MLOperand::shape;

  Operand() = default;
  Operand(MLOperand x) : MLOperand(std::move(x)) {}
  /// Its value is not known before the graph runs: `if (x == y)` would always be taken.
  explicit operator bool() const = delete;

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

namespace detail {
template <class T>
concept Size = std::integral<T> && !std::same_as<T, bool>;
template <Size T> void append_size(Dims& shape, T size) {
  if (std::cmp_less(size, 0) || std::cmp_greater(size, 0xffffffffu))
    webnn::detail::raise(
        webnn::detail::fail("size {} ({}) is not between 0 and 4294967295", shape.size(), size),
        "dims");
  shape.push_back(static_cast<std::uint32_t>(size));
}
}  // namespace detail

/// A shape from integers of any types: `dims(batch, 3, image.rows(), image.columns())`. Throws
/// TypeError for a size that is negative or needs more than 32 bits.
template <detail::Size... T> Dims dims(T... sizes) {
  Dims shape;
  (detail::append_size(shape, sizes), ...);
  return shape;
}
/// A shape from a list, such as a std::vector<int> or a std::span<const std::size_t>.
template <std::ranges::input_range R>
requires detail::Size<std::ranges::range_value_t<R>> Dims dims(const R& sizes) {
  Dims shape;
  for (const auto size : sizes) detail::append_size(shape, size);
  return shape;
}

/// The results of an operator with several, for a structured binding:
///   auto [hidden, cell] = fluent::results<2>(b.lstmCell(...));
/// Throws TypeError if there are not as many.
template <std::size_t N> std::array<Operand, N> results(const std::vector<MLOperand>& all) {
  if (all.size() != N)
    webnn::detail::raise(webnn::detail::fail("there are {} results, not {}", all.size(), N),
                         "results");
  std::array<Operand, N> named;
  for (std::size_t i = 0; i < N; ++i) named[i] = all[i];
  return named;
}
template <std::size_t N> std::array<Operand, N> results(const std::vector<Operand>& all) {
  return results<N>(std::vector<MLOperand>(all.begin(), all.end()));
}

}  // namespace webnn::inline v0_1::fluent

namespace webnn::inline v0_1 {

namespace detail {
template <class T>
concept FluentNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
template <class T>
concept FluentOperand = std::is_base_of_v<MLOperand, T>;
/// A number becomes a constant of the other operand's data type, if that has it; of floats the
/// nearest.
inline MLOperand fluent_operand(MLNumber value, const MLOperand& like, std::string_view op) {
  const MLNumber cast = value.to(like.dataType());
  const bool floats = is_float(like.dataType());
  const bool same = floats ? std::isfinite(cast.as_double()) == std::isfinite(value.as_double())
                    : value.is_integer() ? cast == value
                                         : cast.as_double() == value.as_double();
  if (!same)
    raise(fail("the number ({}) is not one of {}, the data type of the other operand", value,
               like.dataType()),
          op);
  return builder_of(like).constant(like.dataType(), value);
}
inline const MLOperand& fluent_operand(const MLOperand& x, const MLOperand&, std::string_view) {
  return x;
}

template <class Op, class A, class B> fluent::Operand fluent_binary(const A& a, const B& b) {
  constexpr std::string_view name = Op::declaration.name;
  if constexpr (FluentOperand<A>) return builder_of(a).append(Op{a, fluent_operand(b, a, name)});
  else return builder_of(b).append(Op{fluent_operand(a, b, name), b});
}
/// Two operands, or an operand and a number.
template <class A, class B>
concept FluentPair = (FluentOperand<A> && (FluentOperand<B> || FluentNumber<B>)) ||
                     (FluentNumber<A> && FluentOperand<B>);
}  // namespace detail

namespace fluent {
/// An operator of two operands, or of an operand and a number: `fluent::max(x, 0)`. The operands
/// may come from a builder of the draft of 2023.
template <class Op> struct BinaryFunction {
  template <class A, class B>
  requires webnn::detail::FluentPair<A, B> Operand operator()(const A& a, const B& b) const {
    return webnn::detail::fluent_binary<Op>(a, b);
  }
};
inline constexpr BinaryFunction<ops::add> add;
inline constexpr BinaryFunction<ops::sub> sub;
inline constexpr BinaryFunction<ops::mul> mul;
inline constexpr BinaryFunction<ops::div> div;
inline constexpr BinaryFunction<ops::max> max;
inline constexpr BinaryFunction<ops::min> min;
inline constexpr BinaryFunction<ops::pow> pow;
inline constexpr BinaryFunction<ops::modulusFloor> modulusFloor;
inline constexpr BinaryFunction<ops::modulusTruncate> modulusTruncate;
}  // namespace fluent

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

// `x && y` would only ask whether they are empty: logicalAnd is `x & y`.
template <detail::FluentOperand A, detail::FluentOperand B>
void operator&&(const A&, const B&) = delete;
template <detail::FluentOperand A, detail::FluentOperand B>
void operator||(const A&, const B&) = delete;

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

}  // namespace webnn::inline v0_1
