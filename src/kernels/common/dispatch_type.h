// Calls f<T>() with the C++ type of a data type; only types in Allowed are instantiated.
#pragma once

#include <utility>

#include "src/graph/failure.h"
#include "webnn/bfloat16.h"
#include "webnn/float16.h"
#include "webnn/float8e4m3.h"
#include "webnn/ops/operator.h"

namespace webnn::inline v0_1 {

/// Tags for elements of 4 bits, for which there is no C++ type.
struct Int4 {};
struct Uint4 {};

template <MLOperandDataType> struct CppType;
template <> struct CppType<float32> { using type = float; };
template <> struct CppType<float16> { using type = Float16; };
template <> struct CppType<int32> { using type = std::int32_t; };
template <> struct CppType<uint32> { using type = std::uint32_t; };
template <> struct CppType<int64> { using type = std::int64_t; };
template <> struct CppType<uint64> { using type = std::uint64_t; };
template <> struct CppType<int8> { using type = std::int8_t; };
template <> struct CppType<uint8> { using type = std::uint8_t; };
template <> struct CppType<int4> { using type = Int4; };
template <> struct CppType<uint4> { using type = Uint4; };
template <> struct CppType<bfloat16> { using type = BFloat16; };
template <> struct CppType<float8e4m3> { using type = Float8E4M3; };

/// The type arithmetic happens in: float for narrower floats.
template <class T> struct ComputeType { using type = T; };
template <> struct ComputeType<Float16> { using type = float; };
template <> struct ComputeType<BFloat16> { using type = float; };
template <> struct ComputeType<Float8E4M3> { using type = float; };
template <class T> using Compute = typename ComputeType<T>::type;

/// The types allowed for the first operand of an operator.
template <class Op>
constexpr DataTypes input_types = [] {
  std::optional<DataTypes> first;
  ops::for_each_row<Op>([&](const auto& row) {
    if constexpr (requires { row.limits; })
      if (!first) first = row.limits.types;
  });
  return *first;
}();

/// Every branch of f returns the same type. Throws NotSupportedError for another type.
template <DataTypes Allowed, class F> auto dispatch_every_type(MLOperandDataType type, F&& f) {
  using Result = decltype(f.template operator()<float>());
  constexpr std::size_t count = enum_names<MLOperandDataType>.size();
  using Call = Result (*)(F&);
  static constexpr auto table = []<std::size_t... I>(std::index_sequence<I...>) {
    const auto entry = []<std::size_t K>(std::integral_constant<std::size_t, K>) -> Call {
      constexpr auto e = static_cast<MLOperandDataType>(K);
      if constexpr (Allowed.contains(e))
        return [](F& g) { return g.template operator()<typename CppType<e>::type>(); };
      else
        return [](F&) -> Result {
          raise({"no kernel computes elements of that type", ErrorName::NotSupportedError},
                name_of(e));
        };
    };
    return std::array<Call, count>{entry(std::integral_constant<std::size_t, I>{})...};
  }
  (std::make_index_sequence<count>{});
  return table[static_cast<std::size_t>(type)](f);
}

/// The types of a set for which operators have kernels of their own: bfloat16 and float8e4m3 are
/// computed in float32 (reference/widened.h).
constexpr DataTypes computed(DataTypes all) {
  all.bits &= static_cast<std::uint16_t>(~DataTypes{bfloat16, float8e4m3}.bits);
  return all;
}
/// The same without those types.
template <DataTypes Allowed, class F> auto dispatch_type(MLOperandDataType type, F&& f) {
  return dispatch_every_type<computed(Allowed)>(type, std::forward<F>(f));
}

}  // namespace webnn::inline v0_1
