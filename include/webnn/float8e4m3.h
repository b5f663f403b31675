// Float8E4M3: the E4M3 encoding of the OCP 8-bit floating point specification, as a storage type:
// sign, 4 bits of exponent with the bias 7, 3 bits of fraction; no infinities, the largest number
// is 448, and NaN has all bits of exponent and fraction set. ONNX calls it FLOAT8E4M3FN, PyTorch
// float8_e4m3fn.
// https://www.opencompute.org/documents/ocp-8-bit-floating-point-specification-ofp8-revision-1-0-2023-12-01-pdf-1
#pragma once

#include "webnn/language.h"

#include <bit>
#include <cstdint>

namespace webnn::inline v0_1 {

/// Rounds to nearest, ties to even. Larger numbers, and infinity, become 448; NaN stays NaN.
constexpr std::uint8_t float8e4m3_bits(float value) {
  const std::uint32_t f = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = f >> 24 & 0x80, magnitude = f & 0x7fffffff;
  // A subnormal is a multiple of 2^-9, the last bit of a float between 2^14 and 2^15.
  const float shifted = std::bit_cast<float>(magnitude & 0x3fffffff) + 0x1p14f;
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0x1p14f);
  const std::uint32_t rebased = magnitude - (120u << 23);
  const std::uint32_t normal = (rebased + 0x7ffff + (rebased >> 20 & 1)) >> 20;
  std::uint32_t bits = magnitude < 121u << 23 ? subnormal : normal;
  bits = magnitude >= std::bit_cast<std::uint32_t>(448.0f) ? 0x7e : bits;
  bits = magnitude > 0x7f800000 ? 0x7f : bits;
  return static_cast<std::uint8_t>(sign | bits);
}

constexpr float float8e4m3_value(std::uint8_t b) {
  const std::uint32_t sign = static_cast<std::uint32_t>(b & 0x80) << 24;
  const std::uint32_t magnitude = b & 0x7fu;
  const std::uint32_t subnormal =
      std::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-9f);
  std::uint32_t bits = (magnitude << 20) + (120u << 23);
  bits = magnitude < 8 ? subnormal : bits;
  bits = magnitude == 0x7f ? 0x7fc00000 : bits;
  return std::bit_cast<float>(sign | bits);
}

struct Float8E4M3 {
  std::uint8_t bits = 0;

  constexpr Float8E4M3() = default;
  constexpr explicit Float8E4M3(float value) : bits(float8e4m3_bits(value)) {}
  constexpr operator float() const { return float8e4m3_value(bits); }
};
static_assert(sizeof(Float8E4M3) == 1);

}  // namespace webnn::inline v0_1
