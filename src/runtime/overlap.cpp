#include "src/runtime/overlap.h"

#include <algorithm>
#include <functional>

namespace webnn {

std::optional<std::pair<MemoryRange, MemoryRange>> find_overlap(std::span<MemoryRange> ranges) {
  constexpr std::less<const std::byte*> before;
  std::sort(ranges.begin(), ranges.end(), [&](const MemoryRange& a, const MemoryRange& b) {
    return a.begin != b.begin ? before(a.begin, b.begin) : a.index < b.index;
  });
  // Of those that begin earlier: the input and the output that end last.
  const MemoryRange *input = nullptr, *output = nullptr;
  const auto reaches = [&](const MemoryRange* earlier, const MemoryRange& r) {
    return earlier && before(r.begin, earlier->begin + earlier->size);
  };
  for (const MemoryRange& r : ranges) {
    if (reaches(output, r)) return r.is_output ? std::pair(r, *output) : std::pair(*output, r);
    if (r.is_output && reaches(input, r)) return std::pair(r, *input);
    const MemoryRange*& last = r.is_output ? output : input;
    if (!last || before(last->begin + last->size, r.begin + r.size)) last = &r;
  }
  return std::nullopt;
}

}  // namespace webnn
