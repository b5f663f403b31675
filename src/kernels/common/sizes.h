// Conversions and roundings of sizes.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace webnn::inline v0_1 {

/// A size that is known not to be negative.
constexpr std::size_t to_size(std::integral auto v) { return static_cast<std::size_t>(v); }

/// n / unit, rounded up.
template <std::integral T> constexpr T divide_up(T n, std::type_identity_t<T> unit) {
  return (n + unit - 1) / unit;
}
/// The smallest multiple of `unit` that is at least n.
template <std::integral T> constexpr T round_up(T n, std::type_identity_t<T> unit) {
  return divide_up(n, unit) * unit;
}

/// A kernel that needs more bytes of scratch for each worker is refused.
inline constexpr std::size_t max_scratch = std::size_t{64} << 20;

}  // namespace webnn::inline v0_1
