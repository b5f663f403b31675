#include "src/runtime/overlap.h"

#include <algorithm>
#include <functional>

namespace webnn::inline v0_1 {
namespace {

constexpr std::less<const std::byte*> before;

/// Compares each with each.
bool any_overlap(std::span<const MemoryRange> ranges) {
  for (std::size_t i = 1; i < ranges.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const MemoryRange &a = ranges[i], &b = ranges[k];
      if ((a.is_output || b.is_output) && before(a.begin, b.begin + b.size) &&
          before(b.begin, a.begin + a.size))
        return true;
    }
  return false;
}

}  // namespace

std::optional<std::pair<MemoryRange, MemoryRange>> find_overlap(std::span<MemoryRange> ranges) {
  constexpr std::size_t few = 8;  // for which that is faster than to sort them
  if (ranges.size() <= few && !any_overlap(ranges)) return std::nullopt;
  std::sort(ranges.begin(), ranges.end(), [&](const MemoryRange& a, const MemoryRange& b) {
    return a.begin != b.begin ? before(a.begin, b.begin) : a.index < b.index;
  });
  // The input and the output that end last, among those that begin earlier.
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

}  // namespace webnn::inline v0_1
