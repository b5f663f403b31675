// Bytes that stand for real numbers, as the vector kernels take them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace webnn::simd {

/// What becomes of a sum: zero + the rounded product with a scale, between bounds, all as unsigned
/// bytes; then `flip`, which makes them signed, by exclusive or.
struct Int8Result {
  std::int32_t zero = 0;
  std::uint8_t low = 0, high = 255, flip = 0;
};

int quad_lanes();  ///< sums in a vector of the instruction set in use

/// Whether this CPU has products of bytes beside AVX2 (in vectors of 32 bytes) or AVX-512 (of 64).
/// An instruction set that always has them does not ask.
bool has_int8_dot_product(std::size_t vector_bytes);
/// For tests: as if it had none.
extern std::atomic<bool> no_int8_dot_product;

/// Vectors of columns are taken four at a time, the rest at once. Lane i of vector v of `vectors`
/// stands for this column.
inline std::size_t column_of(std::size_t v, std::size_t i, std::size_t vectors, std::size_t lanes) {
  const std::size_t panel = v / 4 * 4;
  if (vectors - panel < 4) return v * lanes + i;
  return panel * lanes + i / 4 * 16 + v % 4 * 4 + i % 4;
}

}  // namespace webnn::simd
