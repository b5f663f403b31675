// Products of bfloat16 by tiles of AMX, whose rows hold 16 pairs.
#pragma once

#include "src/kernels/simd/vector/bfloat16/panels.h"

namespace webnn::inline v0_1::simd {

/// The pairs of a row of a tile. Blocks and segments of sums are whole steps.
inline constexpr std::size_t pairs_of_step = 16;

/// As multiply_pair_chunk().
void multiply_tile_chunk(const PairProduct&, const PairChunk&, std::size_t block, int first,
                         int last);

}  // namespace webnn::inline v0_1::simd
