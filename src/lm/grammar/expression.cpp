#include "src/lm/grammar/expression.h"

#include <algorithm>

namespace webnn::inline v0_1::lm::expression {

std::vector<CharacterRange> merged(std::vector<CharacterRange> ranges) {
  std::ranges::sort(ranges, {}, &CharacterRange::first);
  std::vector<CharacterRange> all;
  for (const CharacterRange& r : ranges)
    if (!all.empty() && r.first <= all.back().last + 1)
      all.back().last = std::max(all.back().last, r.last);
    else all.push_back(r);
  return all;
}

std::vector<CharacterRange> others(std::vector<CharacterRange> ranges) {
  constexpr char32_t last = 0x10ffff;
  ranges.push_back({0xd800, 0xdfff});
  std::vector<CharacterRange> all;
  char32_t next = 0;
  for (const CharacterRange& r : merged(std::move(ranges))) {
    if (r.first > next) all.push_back({next, r.first - 1});
    next = r.last + 1;
  }
  if (next <= last) all.push_back({next, last});
  return all;
}

}  // namespace webnn::inline v0_1::lm::expression
