// Whether memory that is written overlaps other memory.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace webnn::inline v0_1 {

struct MemoryRange {
  const std::byte* begin;
  std::size_t size;  // more than zero
  std::size_t index;
  bool is_output;
};

/// Two ranges that overlap, at least one of them an output, which is the first of the pair; nothing
/// when there are none. Sorts the ranges and allocates nothing.
std::optional<std::pair<MemoryRange, MemoryRange>> find_overlap(std::span<MemoryRange> ranges);

}  // namespace webnn::inline v0_1
