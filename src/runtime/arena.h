// Packs buffers with lifetimes into one block of memory.
#pragma once

#include <cstddef>
#include <vector>

namespace webnn {

struct Lifetime {
  int first, last;  // steps, both included
  std::size_t bytes;
};
struct Packing {
  std::vector<std::size_t> offsets;
  std::size_t bytes = 0;
  std::size_t lower_bound = 0;  // what is alive at the busiest step
};

/// Largest first, each at the lowest place where nothing alive at the same time lies.
Packing pack(const std::vector<Lifetime>& items, std::size_t alignment);

}  // namespace webnn
