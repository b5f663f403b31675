#include "src/runtime/arena.h"

#include <algorithm>
#include <numeric>

namespace webnn {
namespace {

bool overlap(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

std::size_t busiest(const std::vector<Lifetime>& items) {
  int last = -1;
  for (const Lifetime& i : items) last = std::max(last, i.last);
  std::vector<std::size_t> change(static_cast<std::size_t>(last + 2));
  for (const Lifetime& i : items) {
    change[static_cast<std::size_t>(i.first)] += i.bytes;
    change[static_cast<std::size_t>(i.last + 1)] -= i.bytes;  // wraps, and wraps back in the sum
  }
  std::size_t alive = 0, most = 0;
  for (std::size_t c : change) most = std::max(most, alive += c);
  return most;
}

}  // namespace

Packing pack(const std::vector<Lifetime>& items, std::size_t alignment) {
  Packing p{std::vector<std::size_t>(items.size())};
  std::vector<std::size_t> order(items.size()), placed;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return items[a].bytes > items[b].bytes; });
  for (std::size_t i : order) {
    std::size_t at = 0;
    for (std::size_t j : placed) {  // by offset
      if (!overlap(items[i], items[j])) continue;
      if (at + items[i].bytes <= p.offsets[j]) break;
      at = std::max(at, (p.offsets[j] + items[j].bytes + alignment - 1) / alignment * alignment);
    }
    p.offsets[i] = at;
    p.bytes = std::max(p.bytes, at + items[i].bytes);
    const auto behind = [&](std::size_t a, std::size_t b) { return p.offsets[a] < p.offsets[b]; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i, behind), i);
  }
  p.lower_bound = busiest(items);
  return p;
}

}  // namespace webnn
