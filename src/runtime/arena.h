// Packs buffers with lifetimes into one block of memory.
#pragma once

#include <cstddef>
#include <vector>

namespace webnn::inline v0_1 {

struct Lifetime {
  int first, last;  // steps, both included
  std::size_t bytes;
};
struct Packing {
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
  std::size_t lower_bound = 0;  // what is alive at the busiest step
};

/// Buffers that are alive at the same step do not overlap. The time is linear for the many buffers
/// of a large graph, up to a logarithm; few buffers are packed more tightly.
Packing pack(const std::vector<Lifetime>& items, std::size_t alignment);

}  // namespace webnn::inline v0_1
