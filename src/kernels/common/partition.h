// Partitions equal items of work into tiles, by their number and cost only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/kernels/common/sizes.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// `count` items in tiles of `each`; the last tile may hold fewer.
struct Partition {
  std::size_t count = 0, each = 1;

  int tiles() const { return static_cast<int>(std::max<std::size_t>(1, divide_up(count, each))); }
  std::size_t begin(Range r) const {
    return std::min(count, static_cast<std::size_t>(r.begin) * each);
  }
  std::size_t end(Range r) const { return std::min(count, static_cast<std::size_t>(r.end) * each); }
};

/// Tiles of at least 16,384 simple operations, which are worth another thread, and at most 256 of
/// them. `cost`: the operations of one item. `multiple`: tiles begin at a multiple of it.
inline Partition partition(std::size_t count, double cost, std::size_t multiple = 1) {
  constexpr double min_operations = 16384;
  constexpr std::size_t max_tiles = 256;
  const double per_tile = std::max(1.0, min_operations / std::max(cost, 1e-9));
  std::size_t each =
      per_tile >= static_cast<double>(count) ? count : static_cast<std::size_t>(per_tile);
  each = std::max({each, divide_up(count, max_tiles), std::size_t{1}});
  return {count, round_up(each, multiple)};
}

}  // namespace webnn::inline v0_1
