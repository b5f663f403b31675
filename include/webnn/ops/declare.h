// The vocabulary in which every operator is declared, once.
#pragma once

#include <utility>

#include "webnn/error.h"
#include "webnn/operand.h"
#include "webnn/rules.h"

namespace webnn::inline v0_1 {

struct MLOperatorOptions {
  std::string label{};  ///< named in messages, printed graphs and explain()
};

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::ops {

/// A name as a template argument, for families of operators.
template <std::size_t N> struct FixedString {
  char chars[N]{};

  constexpr FixedString(const char (&s)[N]) { std::copy_n(s, N, chars); }
  constexpr std::string_view view() const { return {chars, N - 1}; }
};

inline constexpr std::uint32_t any_rank = 0xffffffff;
struct Ranks {
  std::uint32_t min = 0, max = any_rank;
  bool operator==(const Ranks&) const = default;
};

/// One row of a "tensor limits" table in the spec.
struct Limits {
  DataTypes types = types::any;
  Ranks ranks{};
  std::string_view type_row{}, rank_row{};  // rows whose data type and rank this one shares
  bool alike = false;                       // the elements of a list share the first one's
  bool fewer_in_tests = false;              // Rules::tests2025 allow a rank below rank_row's

  constexpr Limits rank_of(std::string_view row) const {
    Limits l = *this;
    l.rank_row = row;
    return l;
  }
  constexpr Limits or_fewer_in_tests() const {
    Limits l = *this;
    l.fewer_in_tests = true;
    return l;
  }
};
constexpr Limits allow(DataTypes t, Ranks r = {}) { return {t, r}; }
constexpr Limits alike(DataTypes t, Ranks r = {}) { return {t, r, {}, {}, true}; }
constexpr Limits type_of(std::string_view row, Ranks r = {}) { return {types::any, r, row}; }
constexpr Limits same_as(std::string_view row) { return type_of(row).rank_of(row); }

template <class Member> struct MemberPointer;
template <class T, class C> struct MemberPointer<T C::*> {
  using Owner = C;
  using Type = T;
};

/// An operand row's member is MLOperand, std::optional<MLOperand> or std::vector<MLOperand>: one,
/// at most one, or a list. Whether a row is required follows from where its member lives: in the
/// operator (an argument) or in its options.
template <auto Member> struct Operand {
  using Owner = typename MemberPointer<decltype(Member)>::Owner;
  std::string_view name;
  Limits limits;
};
template <auto Member> struct Attribute {
  using Owner = typename MemberPointer<decltype(Member)>::Owner;
  std::string_view name;
};
/// A result's data type is given by its limits: the type of another row or the only one allowed;
/// with a Member it is the value of that attribute.
template <auto Member = nullptr> struct Output {
  using Owner = void;
  std::string_view name;
  Limits limits;
  bool list = false;
};

template <auto M> constexpr Operand<M> operand(std::string_view name, Limits l) {
  return {name, l};
}
template <auto M> constexpr Attribute<M> attribute(std::string_view name) { return {name}; }
template <auto M = nullptr> constexpr Output<M> result(std::string_view name, Limits l) {
  return {name, l};
}
constexpr Output<> results(std::string_view name, Limits l) { return {name, l, true}; }

template <class T> inline constexpr bool is_output = false;
template <auto M> inline constexpr bool is_output<Output<M>> = true;

// The types an attribute may have: what JSON, text, equality and hashing understand.
template <class T>
inline constexpr bool is_value =
    NamedEnum<T> || std::is_same_v<T, bool> || std::is_same_v<T, std::uint32_t> ||
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, MLNumber>;
template <class T> inline constexpr bool is_value<std::optional<T>> = is_value<T>;
template <class T> inline constexpr bool is_value<std::vector<T>> = is_value<T>;
template <class T> inline constexpr bool is_value<OptionalList<T>> = is_value<T>;
template <class... T> inline constexpr bool is_value<std::variant<T...>> = (is_value<T> && ...);
template <class T>
requires requires { typename T::variant; }
inline constexpr bool is_value<T> = is_value<typename T::variant>;

template <class T>
inline constexpr bool is_operand_form =
    std::is_same_v<T, MLOperand> || std::is_same_v<T, std::optional<MLOperand>> ||
    std::is_same_v<T, std::vector<MLOperand>>;

/// What declare() checks about a row.
struct RowFacts {
  std::string_view name;
  const Limits* limits = nullptr;
  bool known_type = true, output = false, list = false, typed_by_member = false;
};
template <auto M> constexpr RowFacts facts(const Operand<M>& row) {
  return {row.name, &row.limits, is_operand_form<typename MemberPointer<decltype(M)>::Type>};
}
template <auto M> constexpr RowFacts facts(const Attribute<M>& row) {
  return {row.name, nullptr, is_value<typename MemberPointer<decltype(M)>::Type>};
}
template <auto M> constexpr RowFacts facts(const Output<M>& row) {
  return {row.name, &row.limits, true, true, row.list, !std::is_null_pointer_v<decltype(M)>};
}

// A tuple, without the weight of std::tuple, which took a third of the time to compile all
// operators. Members are distinct: a second row of one would be the same base class again.
template <class Row, std::size_t> struct Holder { Row row; };
template <class Row, std::size_t I> using HolderOf = Holder<Row, is_output<Row> ? I : 0>;
template <class Indices, class... Rows> struct RowTuple;
template <std::size_t... I, class... Rows>
struct RowTuple<std::index_sequence<I...>, Rows...> : HolderOf<Rows, I>... {
  template <class F> constexpr void for_each(F&& f) const {
    (f(static_cast<const HolderOf<Rows, I>&>(*this).row), ...);
  }
};

template <class... Rows> struct Declaration {
  std::string_view name;
  RowTuple<std::index_sequence_for<Rows...>, Rows...> rows;
  bool known_types = true;    // each member has a type that fits its row
  bool returns_list = false;  // more than one result, or results()
};
/// How many members of Owner, the operator or its options, have a row.
template <class Owner, class... Rows>
constexpr std::size_t members_of(const Declaration<Rows...>&) {
  return (std::is_same_v<Owner, typename Rows::Owner> + ... + std::size_t{0});
}

/// Names are distinct, references name an earlier row, a result's data type is determined, and
/// there is a result. Returns whether the operator returns a list.
constexpr bool check_rows(std::span<const RowFacts> rows) {
  std::size_t outputs = 0;
  bool list = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowFacts& row = rows[i];
    const Limits limits = row.limits ? *row.limits : Limits{};
    bool type_known = limits.type_row.empty(), rank_known = limits.rank_row.empty();
    for (const RowFacts& earlier : rows.first(i)) {
      if (row.name == earlier.name) throw "two rows have the same name";
      type_known = type_known || limits.type_row == earlier.name;
      rank_known = rank_known || limits.rank_row == earlier.name;
    }
    if (!type_known || !rank_known) throw "a row refers to no earlier row";
    if (!row.output) continue;
    ++outputs;
    list = list || row.list;
    const unsigned types = limits.types.bits;
    if (!row.typed_by_member && limits.type_row.empty() && (types & (types - 1)))
      throw "the data type of a result is not determined";
  }
  if (outputs == 0) throw "an operator needs a result";
  return list || outputs > 1;
}

template <class... Rows>
consteval Declaration<Rows...> declare(std::string_view name, Rows... rows) {
  const RowFacts all[] = {facts(rows)...};
  Declaration<Rows...> d{name, {{rows}...}};
  d.returns_list = check_rows(all);
  for (const RowFacts& row : all) d.known_types = d.known_types && row.known_type;
  return d;
}

}  // namespace webnn::inline v0_1::ops
