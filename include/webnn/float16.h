// Float16: IEEE 754 binary16 as a storage type. Arithmetic happens in float.
#pragma once

#include "webnn/language.h"

#include <bit>
#include <cstdint>

namespace webnn::inline v0_1 {

// Without branches, so that loops over them become vectors: all cases are computed, one is chosen.

/// Rounds to nearest, ties to even; magnitudes from 65520 become infinite.
constexpr std::uint16_t float16_bits(float value) {
  const std::uint32_t f = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = f >> 16 & 0x8000, magnitude = f & 0x7fffffff;
  // A subnormal is a multiple of 2^-24, the last bit of a float between 0.5 and 1.
  const float shifted = std::bit_cast<float>(magnitude & 0x3fffffff) + 0.5f;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted) - 0x3f000000;
  const std::uint32_t rebased = magnitude - 0x38000000;
  const std::uint32_t normal = (rebased + 0xfff + (rebased >> 13 & 1)) >> 13;
  const std::uint32_t nan = 0x7e00 | (magnitude >> 13 & 0x3ff);  // NaN stays NaN
  std::uint32_t half = magnitude < 0x38800000 ? subnormal : normal;
  half = magnitude >= 0x477ff000 ? 0x7c00 : half;
  half = magnitude > 0x7f800000 ? nan : half;
  return static_cast<std::uint16_t>(sign | half);
}

constexpr float float16_value(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000) << 16;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(h & 0x7fff) << 13;
  const float shifted = std::bit_cast<float>((magnitude & 0x007fffff) + 0x38800000);
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted - 0x1p-14f);
  std::uint32_t bits = magnitude + (112u << 23);
  bits = magnitude >= 0x0f800000 ? magnitude + (224u << 23) : bits;
  bits = magnitude < 0x00800000 ? subnormal : bits;
  return std::bit_cast<float>(sign | bits);
}

struct Float16 {
  std::uint16_t bits = 0;

  constexpr Float16() = default;
  constexpr explicit Float16(float value) : bits(float16_bits(value)) {}
  constexpr operator float() const { return float16_value(bits); }
};
static_assert(sizeof(Float16) == 2);

}  // namespace webnn::inline v0_1
