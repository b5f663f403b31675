// What makes a struct an operator, and how to walk over its declared members.
#pragma once

#include "webnn/ops/declare.h"

namespace webnn::inline v0_1::ops {

/// The shapes infer() computes, one for each result. Sizes have 64 bits, so infer() never wraps;
/// that each is valid ("check dimensions") is tested afterwards, in one place.
using Sizes = std::vector<std::uint64_t>;
struct Shapes : std::vector<Sizes> {
  Shapes(Sizes one) : vector{std::move(one)} {}
  Shapes(const Dims& one) : Shapes(Sizes(one.begin(), one.end())) {}
  explicit Shapes(std::vector<Sizes> all) : vector(std::move(all)) {}
};

/// The value of a declared member, read from the operator or from its options dictionary.
template <class Op, class Owner, class T> constexpr auto& get(Op& op, T Owner::*member) {
  if constexpr (std::same_as<Owner, std::remove_const_t<Op>>) return op.*member;
  else return op.options.*member;
}
/// Arguments are required; members of the options dictionary are not.
template <class Op, class Owner, class T> constexpr bool is_required(T Owner::*) {
  return std::same_as<Owner, Op>;
}

}  // namespace webnn::inline v0_1::ops

namespace webnn::inline v0_1::detail {

template <class Op, auto M, class F>
constexpr void visit_operand(Op& op, const ops::Operand<M>& row, F& f) {
  f(row, ops::get(op, M));
}
template <class Op, class Row, class F> constexpr void visit_operand(Op&, const Row&, F&) {}
template <class Op, auto M, class F>
constexpr void visit_attribute(Op& op, const ops::Attribute<M>& row, F& f) {
  f(row, ops::get(op, M));
}
template <class Op, class Row, class F> constexpr void visit_attribute(Op&, const Row&, F&) {}

}  // namespace webnn::inline v0_1::detail

namespace webnn::inline v0_1::ops {

template <class Op, class F> constexpr void for_each_row(F&& f) {
  Op::declaration.rows.for_each(f);
}
/// f(row, value&) for each operand row; the value is one of the three operand forms.
template <class Op, class F> constexpr void for_each_operand(Op& op, F&& f) {
  for_each_row<std::remove_const_t<Op>>(
      [&](const auto& row) { detail::visit_operand(op, row, f); });
}
template <class Op, class F> constexpr void for_each_attribute(Op& op, F&& f) {
  for_each_row<std::remove_const_t<Op>>(
      [&](const auto& row) { detail::visit_attribute(op, row, f); });
}
/// f(operand&) for each operand present in one of the three forms.
template <class V, class F> constexpr void each(V& value, F&& f) {
  if constexpr (std::same_as<std::remove_const_t<V>, MLOperand>) f(value);
  else if constexpr (requires { value.has_value(); }) {
    if (value) f(*value);
  } else
    for (auto& x : value) f(x);
}

// Whether an aggregate has that many members or more. A C array would count as several.
struct Anything {
  template <class T> operator T() const;
};  // declared, never defined
template <class T, std::size_t... I> constexpr bool brace_with(std::index_sequence<I...>) {
  return requires { T{(void(I), Anything{})...}; };
}
template <class T, std::size_t N>
inline constexpr bool has_members = brace_with<T>(std::make_index_sequence<N>{});

/// Every member is an operand row, an attribute row, `options` or `label`: there is none but them.
template <class Op>
concept FullyDeclared =
    !has_members<Op, members_of<Op>(Op::declaration) + 2> &&
    !has_members<decltype(Op::options), members_of<decltype(Op::options)>(Op::declaration) + 2>;
template <class Op>
concept KnownMemberTypes = Op::declaration.known_types;

template <class Op>
concept Operator = std::is_aggregate_v<Op> && FullyDeclared<Op> && KnownMemberTypes<Op> &&
    requires(const Op& op) {
  { op.options.label } -> std::same_as<const std::string&>;
  { infer(op) } -> std::same_as<Result<Shapes>>;
};

/// What passes and kernels need to know of an operator besides its rows. It is said in a member
/// `traits` of the operator; without one all is false.
struct Traits {
  bool element_wise = false;  ///< an element of the result needs one of each operand, broadcast
  bool activation = false;    ///< element-wise, and what networks have behind a layer
  bool moves = false;         ///< elements of the result are elements of operands, or constants
  bool rearranges = false;    ///< they all are elements of input or inputs
};
template <class Op> constexpr Traits traits_of() {
  if constexpr (requires { Op::traits; }) return Op::traits;
  else return {};
}

/// Operators with one result return it; split and the recurrent ones return a list.
template <class Op> constexpr bool returns_list() { return Op::declaration.returns_list; }
template <class Op, bool = returns_list<Op>()> struct Returned { using type = MLOperand; };
template <class Op> struct Returned<Op, true> { using type = std::vector<MLOperand>; };

// That each is an Operator is checked where the library is compiled (src/graph/op.cpp), not again
// in every user's file.
template <class... Ops> struct OpList {
  template <template <class...> class T> using apply = T<Ops...>;
  static constexpr std::size_t size = sizeof...(Ops);
  static constexpr std::array<std::string_view, size> names{Ops::declaration.name...};

  // By the names, which are distinct (src/graph/op.cpp): they compare faster than types.
  template <class T> static constexpr std::size_t index_of() {
    const auto it = std::find(names.begin(), names.end(), T::declaration.name);
    return static_cast<std::size_t>(it - names.begin());
  }
  template <class T> static constexpr bool contains() {
    return std::is_base_of_v<std::type_identity<T>, Set>;
  }

 private:
  struct Set : std::type_identity<Ops>... {};
};
template <class T, class List> constexpr bool contains(List) {
  return List::template contains<T>();
}
template <class T, class List> constexpr std::size_t index_of(List) {
  return List::template index_of<T>();
}

}  // namespace webnn::inline v0_1::ops
