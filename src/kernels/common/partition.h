// Cuts equal pieces of work into tiles, by their number and cost alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "webnn/backend.h"

namespace webnn {

/// `count` items in tiles of `each`; the last tile may hold fewer.
struct Partition {
  std::size_t count = 0, each = 1;

  int tiles() const {
    return static_cast<int>(std::max<std::size_t>(1, (count + each - 1) / each));
  }
  std::size_t begin(Range r) const {
    return std::min(count, static_cast<std::size_t>(r.begin) * each);
  }
  std::size_t end(Range r) const { return std::min(count, static_cast<std::size_t>(r.end) * each); }
};

/// A tile is worth another thread from some 16,000 simple operations; more than 256 tiles are of
/// no use. `cost` is the operations of one item. `multiple`: tiles begin at a multiple of it.
inline Partition partition(std::size_t count, double cost, std::size_t multiple = 1) {
  constexpr double least = 16384;
  constexpr std::size_t most = 256;
  const double per_tile = std::max(1.0, least / std::max(cost, 1e-9));
  std::size_t each =
      per_tile >= static_cast<double>(count) ? count : static_cast<std::size_t>(per_tile);
  each = std::max({each, (count + most - 1) / most, std::size_t{1}});
  each = (each + multiple - 1) / multiple * multiple;
  return {count, each};
}

}  // namespace webnn
