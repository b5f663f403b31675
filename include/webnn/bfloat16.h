// BFloat16: the upper half of an IEEE 754 binary32, as a storage type. Arithmetic happens in float.
#pragma once

#include "webnn/language.h"

#include <bit>
#include <cstdint>

namespace webnn::inline v0_1 {

// Without branches, so that loops over them become vectors: all cases are computed, one is chosen.

/// Rounds to nearest, ties to even; what is beyond the range becomes infinite, and NaN stays NaN.
constexpr std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t f = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (f + 0x7fff + (f >> 16 & 1)) >> 16;
  const std::uint32_t nan = f >> 16 | 0x40;  // a quiet one
  return static_cast<std::uint16_t>((f & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}
constexpr float bfloat16_value(std::uint16_t b) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
}

struct BFloat16 {
  std::uint16_t bits = 0;

  constexpr BFloat16() = default;
  constexpr explicit BFloat16(float value) : bits(bfloat16_bits(value)) {}
  constexpr operator float() const { return bfloat16_value(bits); }
};
static_assert(sizeof(BFloat16) == 2);

}  // namespace webnn::inline v0_1
