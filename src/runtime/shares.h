// How the tiles of a step are divided among the workers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// The first tile of a share.
inline int share_begin(int tiles, int shares, int share) {
  return static_cast<int>(std::int64_t{tiles} * share / shares);
}

/// Shares of the tiles: one for each worker that can have a tile.
inline int share_count(const Candidate& kernel, int workers) {
  return std::min(workers, kernel.tiles);
}

/// Tiles that a worker takes at once.
inline int chunk_size(const Candidate& kernel, int workers) {
  const int mine = (kernel.tiles + workers - 1) / workers;
  return std::max({1, (mine + 1) / 2, std::min(kernel.grain, mine)});
}

}  // namespace webnn::inline v0_1
