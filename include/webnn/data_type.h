// MLOperandDataType, sets of data types, and names of enumerators.
#pragma once

#include "webnn/language.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace webnn::inline v0_1 {

namespace detail {
struct Access;  // private: src/graph/access.h
}

/// An enumeration of the spec: `names_of(E)`, found beside it, lists the spec's strings in order.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  names_of(e).size();
};
template <NamedEnum E> inline constexpr auto enum_names = names_of(E{});
template <NamedEnum E> constexpr std::string_view name_of(E e) {
  const auto i = static_cast<std::size_t>(e);  // a caller can make any number an enumerator
  return i < enum_names<E>.size() ? enum_names<E>[i] : std::string_view("?");
}
template <NamedEnum E> constexpr std::optional<E> enum_from(std::string_view name) {
  const auto it = std::find(enum_names<E>.begin(), enum_names<E>.end(), name);
  if (it == enum_names<E>.end()) return std::nullopt;
  return static_cast<E>(it - enum_names<E>.begin());
}
/// The one way to write such a list: `return names("nchw", "nhwc");`.
template <class... S> constexpr std::array<std::string_view, sizeof...(S)> names(S... s) {
  return {std::string_view(s)...};
}

enum class MLOperandDataType : std::uint8_t {
  float32,
  float16,
  int32,
  uint32,
  int64,
  uint64,
  int8,
  uint8,
  int4,
  uint4,     // extensions: not in the spec's revision
  bfloat16,  // https://github.com/webmachinelearning/webnn/pull/956, as is the next one
  float8e4m3
};
constexpr auto names_of(MLOperandDataType) {
  return names("float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8", "int4",
               "uint4", "bfloat16", "float8e4m3");
}
constexpr int bits_of(MLOperandDataType t) {
  constexpr int bits[] = {32, 16, 32, 32, 64, 64, 8, 8, 4, 4, 16, 8};
  return static_cast<std::size_t>(t) < std::size(bits) ? bits[static_cast<std::size_t>(t)] : 0;
}

using enum MLOperandDataType;  // webnn::float32

/// Whether the elements are floating-point numbers.
constexpr bool is_float(MLOperandDataType t) {
  return t == float32 || t == float16 || t == bfloat16 || t == float8e4m3;
}

/// A set of data types, usable as a template argument.
struct DataTypes {
  std::uint16_t bits = 0;

  constexpr DataTypes() = default;
  constexpr DataTypes(std::initializer_list<MLOperandDataType> list) {
    for (auto t : list) bits |= static_cast<std::uint16_t>(1u << static_cast<int>(t));
  }
  constexpr bool contains(MLOperandDataType t) const {
    return static_cast<int>(t) < 16 && (bits >> static_cast<int>(t) & 1);
  }
  constexpr DataTypes operator&(DataTypes other) const {
    DataTypes both;
    both.bits = bits & other.bits;
    return both;
  }
  constexpr DataTypes operator|(DataTypes other) const {
    DataTypes either;
    either.bits = bits | other.bits;
    return either;
  }
  bool operator==(const DataTypes&) const = default;
};

namespace types {  // the sets that occur in the spec's limit tables
inline constexpr DataTypes any{float32, float16, int32, uint32,   int64,
                               uint64,  int8,    uint8, bfloat16, float8e4m3};
inline constexpr DataTypes stored{float32, float16, int32, uint32, int64,    uint64,
                                  int8,    uint8,   int4,  uint4,  bfloat16, float8e4m3};
inline constexpr DataTypes floats{float32, float16, bfloat16};
inline constexpr DataTypes signed_numbers{float32, float16, int64, int32, int8, bfloat16};
inline constexpr DataTypes sums{float32, float16, int32, uint32, int64, uint64, bfloat16};
inline constexpr DataTypes indices{int32, uint32, int64};
inline constexpr DataTypes quantized{uint8, int8, uint32, int32, int4, uint4, float8e4m3};
inline constexpr DataTypes bytes{uint8};
inline constexpr DataTypes resampled{float32, float16, uint8, int8, bfloat16};
inline constexpr DataTypes positions{int32, int64};
inline constexpr DataTypes sizes{int32, uint32, int64, uint64};
inline constexpr DataTypes ranges{float32, int32, uint32, int64, uint64};
}  // namespace types

using Dims = std::vector<std::uint32_t>;

/// An optional list in an options dictionary. As in JavaScript, `{}` is the empty list and not
/// absence, and `.axes = {1, 2}` needs no type name; std::optional<Dims> offers neither. There is
/// no default constructor, for with one `{}` would mean absent.
template <class T> struct OptionalList : std::optional<std::vector<T>> {
  constexpr OptionalList(std::nullopt_t) {}
  constexpr OptionalList(std::initializer_list<T> list) : std::optional<std::vector<T>>(list) {}
  constexpr OptionalList(std::vector<T> list) : std::optional<std::vector<T>>(std::move(list)) {}

  bool operator==(const OptionalList&) const = default;
};

}  // namespace webnn::inline v0_1
