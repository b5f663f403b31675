// Float16: IEEE 754 binary16 as a storage type. Arithmetic happens in float.
#pragma once

#include <bit>
#include <cstdint>

namespace webnn {

/// Rounds to nearest, ties to even; magnitudes from 65520 become infinite.
constexpr std::uint16_t float16_bits(float value) {
  const std::uint32_t f = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = f >> 16 & 0x8000, magnitude = f & 0x7fffffff;
  const auto half = [sign](std::uint32_t bits) { return static_cast<std::uint16_t>(sign | bits); };
  if (magnitude > 0x7f800000) return half(0x7e00 | (magnitude >> 13 & 0x3ff));  // NaN stays NaN
  if (magnitude >= 0x477ff000) return half(0x7c00);
  if (magnitude < 0x33000000) return half(0);  // below half of the least subnormal
  if (magnitude < 0x38800000) {                // subnormal: a multiple of 2^-24
    const std::uint32_t shift = 126 - (magnitude >> 23);
    const std::uint32_t m = (magnitude & 0x7fffff) | 0x800000;
    const std::uint32_t rest = m & ((1u << shift) - 1), tie = 1u << (shift - 1);
    const std::uint32_t bits = m >> shift;
    return half(bits + (rest > tie || (rest == tie && (bits & 1))));
  }
  const std::uint32_t rebased = magnitude - 0x38000000;
  return half((rebased + 0xfff + (rebased >> 13 & 1)) >> 13);
}

constexpr float float16_value(std::uint16_t h) {
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000) << 16;
  const std::uint32_t exponent = h >> 10 & 31, mantissa = h & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -magnitude : magnitude;
}

struct Float16 {
  std::uint16_t bits = 0;

  constexpr Float16() = default;
  constexpr explicit Float16(float value) : bits(float16_bits(value)) {}
  constexpr operator float() const { return float16_value(bits); }
};
static_assert(sizeof(Float16) == 2);

}  // namespace webnn
