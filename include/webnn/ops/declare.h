// The vocabulary in which every operator is declared, once.
#pragma once

#include <tuple>

#include "webnn/error.h"
#include "webnn/operand.h"

namespace webnn {

struct MLOperatorOptions {
  std::string label{};
};

}  // namespace webnn

namespace webnn::ops {

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

  constexpr Limits rank_of(std::string_view row) const {
    Limits l = *this;
    l.rank_row = row;
    return l;
  }
};
constexpr Limits allow(DataTypes t, Ranks r = {}) { return {t, r}; }
constexpr Limits alike(DataTypes t, Ranks r = {}) { return {t, r, {}, {}, true}; }
constexpr Limits type_of(std::string_view row, Ranks r = {}) { return {types::any, r, row}; }
constexpr Limits same_as(std::string_view row) { return type_of(row).rank_of(row); }

/// An operand row's member is MLOperand, std::optional<MLOperand> or std::vector<MLOperand>: one,
/// at most one, or a list. Whether a row is required follows from where its member lives: in the
/// operator (an argument) or in its options.
template <auto Member> struct Operand {
  std::string_view name;
  Limits limits;
};
template <auto Member> struct Attribute { std::string_view name; };
/// A result's data type is given by its limits: the type of another row or the only one allowed;
/// with a Member it is the value of that attribute.
template <auto Member = nullptr> struct Output {
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

template <class T> inline constexpr bool is_operand = false;
template <auto M> inline constexpr bool is_operand<Operand<M>> = true;
template <class T> inline constexpr bool is_attribute = false;
template <auto M> inline constexpr bool is_attribute<Attribute<M>> = true;
template <class T> inline constexpr bool is_output = false;
template <auto M> inline constexpr bool is_output<Output<M>> = true;

template <class... Rows> struct Declaration {
  std::string_view name;
  std::tuple<Rows...> rows;

  static constexpr std::size_t members = ((is_operand<Rows> || is_attribute<Rows>)+... + 0);
  static constexpr std::size_t outputs = (is_output<Rows> + ... + 0);
};

/// Checked while compiling: names are distinct, references name an earlier row, a result's data
/// type is determined, and there is a result.
template <class... Rows>
consteval Declaration<Rows...> declare(std::string_view name, Rows... rows) {
  static_assert((is_output<Rows> || ...), "an operator needs a result");
  std::array<std::string_view, sizeof...(Rows)> earlier{};
  std::size_t count = 0;
  const auto known = [&](std::string_view row) {
    return std::find(earlier.begin(), earlier.begin() + count, row) != earlier.begin() + count;
  };
  const auto check = [&]<class Row>(const Row& row) {
    if (known(row.name)) throw "two rows have the same name";
    if constexpr (requires { row.limits; }) {
      for (auto ref : {row.limits.type_row, row.limits.rank_row})
        if (!ref.empty() && !known(ref)) throw "a row refers to no earlier row";
      if (is_output<Row> && std::is_same_v<Row, Output<>> && row.limits.type_row.empty() &&
          (row.limits.types.bits & (row.limits.types.bits - 1)))
        throw "the data type of a result is not determined";
    }
    earlier[count++] = row.name;
  };
  (check(rows), ...);
  return {name, {rows...}};
}

}  // namespace webnn::ops
