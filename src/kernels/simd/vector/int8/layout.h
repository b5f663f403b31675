// The layout of weights and results of the int8 kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace webnn::inline v0_1::simd {

/// From a sum to a byte: the rounded product of the sum and a scale, plus `zero`, within the
/// bounds `low` and `high`, all as unsigned bytes; then exclusive or with `flip`, which makes
/// signed bytes of them.
struct Int8Result {
  std::int32_t zero = 0;
  std::uint8_t low = 0, high = 255, flip = 0;
};

/// The column of lane i of vector v of `vectors`: four vectors are a panel, in which the blocks of
/// 128 bits at the same position have 16 contiguous columns; the last vectors, fewer than four,
/// have their columns in order.
inline std::size_t column_of(std::size_t v, std::size_t i, std::size_t vectors, std::size_t lanes) {
  const std::size_t panel = v / 4 * 4;
  if (vectors - panel < 4) return v * lanes + i;
  return panel * lanes + i / 4 * 16 + v % 4 * 4 + i % 4;
}

}  // namespace webnn::inline v0_1::simd
