// When operands and attributes of two graphs are the same. Private.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <optional>
#include <vector>

#include "webnn/operand.h"

namespace webnn::inline v0_1 {

inline std::uint32_t id_of(const MLOperand& x) { return x.record().id; }

// Operands of different graphs are the same when their ids are.
inline bool same(const MLOperand& a, const MLOperand& b) { return id_of(a) == id_of(b); }
inline bool same(const std::optional<MLOperand>& a, const std::optional<MLOperand>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}
inline bool same(const std::vector<MLOperand>& a, const std::vector<MLOperand>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const MLOperand& x, const MLOperand& y) { return same(x, y); });
}

// Attributes. 0 and -0 differ, for one divided by them does; a NaN equals itself.
template <class T> bool same_value(const T& a, const T& b) {
  if constexpr (std::same_as<T, double>)
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  else if constexpr (std::same_as<T, float>)
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  else return a == b;
}

}  // namespace webnn::inline v0_1
