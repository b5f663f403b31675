// Pairs of bfloat16, and what multiplies them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace webnn::inline v0_1::simd {

/// What adds both products of a pair to a sum of 32 bits: nothing, so that there are no kernels of
/// bfloat16; two operations of floats, for tests; the instruction of AVX512-BF16. All have the same
/// bits: the second product is added first, each sum is rounded by itself, and subnormal operands,
/// sums and results count as zero.
enum class Bfloat16Products { none, emulated, instruction };

/// The instruction, if this CPU has it for the instruction set in use.
Bfloat16Products bfloat16_products();
/// Whether kernels can be emulated with the instruction set in use.
bool can_emulate_bfloat16();

/// The bits of the nearest bfloat16, of two the even one. NaN stays NaN, and subnormal numbers
/// become zeros, as the instruction converts them.
inline std::uint32_t bfloat16_bits(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v), magnitude = bits & 0x7fffffffu;
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return magnitude > 0x7f800000u   ? bits >> 16 | 0x40u
         : magnitude < 0x00800000u ? bits >> 16 & 0x8000u
                                   : rounded;
}
/// The first one in the lower bits.
inline std::uint32_t bfloat16_pair(float first, float second) {
  return bfloat16_bits(second) << 16 | bfloat16_bits(first);
}

/// The pairs of n terms; an odd one has zero beside it.
constexpr std::size_t pairs_of(std::size_t n) { return (n + 1) / 2; }

}  // namespace webnn::inline v0_1::simd
