// Products of bytes by tiles of AMX, whose rows hold 16 quads. Weights have the layout of other
// products (Int8Gemm): 16 quads of a vector of columns are a tile. Rows of x are staged: copied so
// that the quads of all segments follow one another, with zeros behind the last.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "src/kernels/simd/vector/int8/dot_product.h"

namespace webnn::inline v0_1::simd {

/// The rows that are staged at a time.
struct StagedRows {
  std::size_t rows = 0, quads = 0;

  StagedRows() = default;
  /// As many as are read once for each panel from L2, or all.
  StagedRows(std::size_t all, std::size_t quads_of_row) : quads(quads_of_row) {
    constexpr std::size_t memory = 128 << 10, together = 32;
    rows = std::min(all, std::max(together, memory / pitch() / together * together));
  }
  /// Bytes from row to row: an odd number of cache lines, so that the rows of a tile lie in
  /// different parts of the cache, and at least one more than a row has.
  std::size_t pitch() const {
    const std::size_t lines = (4 * quads + 63) / 64;
    return 64 * (lines + 1 + lines % 2);
  }
  /// For the rows, and the sum of each one's bytes.
  std::size_t bytes() const { return rows * (pitch() + sizeof(std::int32_t)) + 64; }
};

/// Calls with fewer rows do without tiles.
inline constexpr std::size_t min_rows_of_tiles = 8;

/// Whether tiles are likely faster for calls with so many rows, each of so many quads: there is
/// enough work for the copies and for the registers to be configured, and 32 rows stay in L2.
constexpr bool are_faster_by_tiles(std::size_t rows, std::size_t quads) {
  constexpr std::size_t step = 16, min_work = 64 * step, max_quads = 2048;
  return rows >= 16 && quads >= step && rows * quads >= min_work && quads <= max_quads;
}

}  // namespace webnn::inline v0_1::simd
