// Blockwise broadcasting in tests: each element of a small tensor counts for a block.
#pragma once

#include "tests/support/run.h"

namespace webnn::inline v0_1::test {

/// The place in `small` that counts for a place of `large`.
inline Dims block_of(const Dims& at, const Dims& small, const Dims& large) {
  Dims place = at;
  for (std::size_t d = 0; d < at.size(); ++d) place[d] /= large[d] / small[d];
  return place;
}

/// A shape with blocks of every kind: each dimension whole, in blocks, or element by element.
struct Blocks {
  Dims small, large;
};
inline Blocks random_blocks(Random& random, std::size_t rank) {
  Blocks b{random.shape(rank, 4), {}};
  for (std::uint32_t d : b.small) b.large.push_back(d * random.integer(1, 4));
  return b;
}

}  // namespace webnn::inline v0_1::test
