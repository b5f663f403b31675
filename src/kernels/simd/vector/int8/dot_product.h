// What adds products of bytes to sums of 32 bits.
#pragma once

namespace webnn::inline v0_1::simd {

int int8_lanes();  ///< sums of 32 bits in a vector of the instruction set in use

/// How products of bytes are computed: the instruction (AVX-VNNI, AVX512-VNNI), where a CPU may
/// have it or not: vectors of AVX2 and of AVX-512; other instruction sets always or never have it.
/// Tiles of AMX for many rows (tiles.h), and the instruction for the others; for tests, memory in
/// place of tiles. The sums are exact: all ways have the same bits.
enum class Int8DotProduct { instruction, emulated, tiles, emulated_tiles };
constexpr bool are_tiles(Int8DotProduct d) {
  return d == Int8DotProduct::tiles || d == Int8DotProduct::emulated_tiles;
}
constexpr bool has_instruction(Int8DotProduct d) {
  return d == Int8DotProduct::instruction || d == Int8DotProduct::tiles;
}
constexpr Int8DotProduct without_tiles(Int8DotProduct d) {
  return has_instruction(d) ? Int8DotProduct::instruction : Int8DotProduct::emulated;
}

/// The fastest that this CPU has for the instruction set in use.
Int8DotProduct int8_dot_product();
/// Whether tiles can be emulated with the instruction set in use.
bool can_emulate_int8_tiles();

}  // namespace webnn::inline v0_1::simd
