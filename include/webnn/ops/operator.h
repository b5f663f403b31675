// What makes a struct an operator, and how to walk over its declared members.
#pragma once

#include "webnn/ops/declare.h"

namespace webnn::ops {

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

namespace detail {
template <class Op, auto M, class F> constexpr void operand(Op& op, const Operand<M>& row, F& f) {
  f(row, get(op, M));
}
template <class Op, class Row, class F> constexpr void operand(Op&, const Row&, F&) {}
template <class Op, auto M, class F>
constexpr void attribute(Op& op, const Attribute<M>& row, F& f) {
  f(row, get(op, M));
}
template <class Op, class Row, class F> constexpr void attribute(Op&, const Row&, F&) {}
}  // namespace detail

template <class Op, class F> constexpr void for_each_row(F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) { (f(std::get<I>(Op::declaration.rows)), ...); }
  (std::make_index_sequence<std::tuple_size_v<decltype(Op::declaration.rows)>>{});
}
/// f(row, value&) for each operand row; the value is one of the three operand forms.
template <class Op, class F> constexpr void for_each_operand(Op& op, F&& f) {
  for_each_row<std::remove_const_t<Op>>([&](const auto& row) { detail::operand(op, row, f); });
}
template <class Op, class F> constexpr void for_each_attribute(Op& op, F&& f) {
  for_each_row<std::remove_const_t<Op>>([&](const auto& row) { detail::attribute(op, row, f); });
}
/// f(operand&) for each operand present in one of the three forms.
template <class V, class F> constexpr void each(V& value, F&& f) {
  if constexpr (std::same_as<std::remove_const_t<V>, MLOperand>) f(value);
  else if constexpr (requires { value.has_value(); }) {
    if (value) f(*value);
  } else
    for (auto& x : value) f(x);
}

// The types an attribute may have: what JSON, text, equality and hashing understand.
template <class T>
inline constexpr bool is_value =
    NamedEnum<T> || std::same_as<T, bool> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::int32_t> || std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, MLNumber>;
template <class T> inline constexpr bool is_value<std::optional<T>> = is_value<T>;
template <class T> inline constexpr bool is_value<std::vector<T>> = is_value<T>;
template <class T> inline constexpr bool is_value<OptionalList<T>> = is_value<T>;
template <class... T> inline constexpr bool is_value<std::variant<T...>> = (is_value<T> && ...);
template <class T>
requires requires { typename T::variant; }
inline constexpr bool is_value<T> = is_value<typename T::variant>;

template <class T>
inline constexpr bool is_operand_form =
    std::same_as<T, MLOperand> || std::same_as<T, std::optional<MLOperand>> ||
    std::same_as<T, std::vector<MLOperand>>;

// Counts the members of an aggregate. A C array would count as several: use std::vector.
struct Anything {
  template <class T> operator T() const;
};  // declared, never defined
template <class T, std::size_t... I> constexpr bool brace_with(std::index_sequence<I...>) {
  return requires { T{(void(I), Anything{})...}; };
}
template <class T, std::size_t N = 0> constexpr std::size_t field_count() {
  if constexpr (brace_with<T>(std::make_index_sequence<N + 1>{})) return field_count<T, N + 1>();
  else return N;
}
template <class T> struct MemberType;
template <class Owner, class T> struct MemberType<T Owner::*> { using type = T; };
template <class Row> inline constexpr bool row_fits = true;
template <auto M>
inline constexpr bool row_fits<Operand<M>> =
    is_operand_form<typename MemberType<decltype(M)>::type>;
template <auto M>
inline constexpr bool row_fits<Attribute<M>> = is_value<typename MemberType<decltype(M)>::type>;
template <class... Rows> constexpr bool rows_fit(const Declaration<Rows...>&) {
  return (row_fits<Rows> && ...);
}
template <class T, class... Ts> inline constexpr int count_of = (std::same_as<T, Ts> + ... + 0);
template <class... Rows> constexpr bool distinct(const Declaration<Rows...>&) {
  return ((is_output<Rows> || count_of<Rows, Rows...> == 1) && ...);
}

/// Every member is an operand row, an attribute row, `options` or `label`.
template <class Op>
concept FullyDeclared = distinct(Op::declaration) && field_count<Op>()
- 1 + field_count<decltype(Op::options)>() - 1 == decltype(Op::declaration)::members;
template <class Op>
concept KnownMemberTypes = rows_fit(Op::declaration);

template <class Op>
concept Operator = std::is_aggregate_v<Op> && FullyDeclared<Op> && KnownMemberTypes<Op> &&
    requires(const Op& op) {
  { op.options.label } -> std::same_as<const std::string&>;
  { infer(op) } -> std::same_as<Result<Shapes>>;
};

/// Operators with one result return it; split and the recurrent ones return a list.
template <class Op> constexpr bool returns_list() {
  bool list = decltype(Op::declaration)::outputs > 1;
  for_each_row<Op>([&](const auto& row) {
    if constexpr (requires { row.list; }) list |= row.list;
  });
  return list;
}

template <class... Ops> struct OpList {
  static_assert((Operator<Ops> && ...));
  template <template <class...> class T> using apply = T<Ops...>;
  static constexpr std::size_t size = sizeof...(Ops);
};
template <class T, class... Ts> constexpr bool contains(OpList<Ts...>) {
  return (std::same_as<T, Ts> || ...);
}
template <class T, class... Ts> constexpr std::size_t index_of(OpList<Ts...>) {
  std::size_t i = 0;
  (void)((std::same_as<T, Ts> || (++i, false)) || ...);
  return i;
}

}  // namespace webnn::ops
