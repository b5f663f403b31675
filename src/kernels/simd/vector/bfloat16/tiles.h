// Products of bfloat16 by tiles of AMX: registers that hold matrices of 16 rows of 16 pairs.
#pragma once

#include "src/kernels/simd/vector/bfloat16/panels.h"

namespace webnn::inline v0_1::simd {

/// The pairs of a row of a tile. Blocks and segments of sums are whole steps.
inline constexpr std::size_t pairs_of_step = 16;

/// As multiply_pair_chunk().
void multiply_tile_chunk(const PairProduct&, const PairChunk&, std::size_t block, int first,
                         int last);

/// Whether this processor and its system let the process use the tiles of bfloat16; they are asked
/// once.
bool has_bfloat16_tiles();

}  // namespace webnn::inline v0_1::simd
