// Pairs of bfloat16, and what multiplies them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace webnn::inline v0_1::simd {

/// What adds both products of a pair to a sum of 32 bits: nothing, so that there are no kernels of
/// bfloat16; the instruction of AVX512-BF16; the tiles of AMX (tiles.h); for tests, operations of
/// floats with the same bits as either. The instruction adds the second product first, and each sum
/// is rounded by itself. Subnormal operands, sums and results count as zero. Floats become the
/// nearest bfloat16, of two the even one; NaN stays NaN, and subnormal floats become zeros of their
/// sign.
enum class Bfloat16Products { none, emulated, instruction, emulated_tiles, tiles };
constexpr bool are_emulated(Bfloat16Products p) {
  return p == Bfloat16Products::emulated || p == Bfloat16Products::emulated_tiles;
}
constexpr bool are_tiles(Bfloat16Products p) {
  return p == Bfloat16Products::tiles || p == Bfloat16Products::emulated_tiles;
}
/// For sums that are not whole steps of tiles.
constexpr Bfloat16Products without_tiles(Bfloat16Products p) {
  return p == Bfloat16Products::tiles            ? Bfloat16Products::instruction
         : p == Bfloat16Products::emulated_tiles ? Bfloat16Products::emulated
                                                 : p;
}

/// The fastest that this CPU has for the instruction set in use.
Bfloat16Products bfloat16_products();
/// Whether kernels can be emulated with the instruction set in use.
bool can_emulate_bfloat16();

/// What floats to be packed are stored as.
enum class StoredFloat { float32, float16, bfloat16, float8e4m3 };
constexpr std::size_t size_of(StoredFloat f) {
  return f == StoredFloat::float32 ? 4 : f == StoredFloat::float8e4m3 ? 1 : 2;
}

/// The pairs of n terms; an odd one has zero beside it.
constexpr std::size_t pairs_of(std::size_t n) { return (n + 1) / 2; }

}  // namespace webnn::inline v0_1::simd
