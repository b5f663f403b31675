#include "src/runtime/arena.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1 {
namespace {

std::size_t max_alive(const std::vector<Lifetime>& items) {
  int last = -1;
  for (const Lifetime& i : items) last = std::max(last, i.last);
  std::vector<std::size_t> change(static_cast<std::size_t>(last + 2));
  for (const Lifetime& i : items) {
    change[static_cast<std::size_t>(i.first)] += i.bytes;
    change[static_cast<std::size_t>(i.last + 1)] -= i.bytes;  // wraps, and wraps back in the sum
  }
  std::size_t alive = 0, max = 0;
  for (std::size_t c : change) max = std::max(max, alive += c);
  return max;
}

/// The parts of a block of memory that are free, and its end, where it grows.
class FreeList {
 public:
  /// The smallest free part that holds so many bytes, else the end.
  std::size_t allocate(std::size_t bytes) {
    const auto fit = by_size_.lower_bound({bytes, 0});
    if (fit != by_size_.end()) {
      const auto [size, at] = *fit;
      remove(at, size);
      if (size > bytes) insert(at + bytes, size - bytes);
      return at;
    }
    std::size_t at = end_;
    if (!by_offset_.empty()) {
      const auto [last, size] = *by_offset_.rbegin();
      if (last + size == end_) {
        remove(last, size);
        at = last;
      }
    }
    end_ = at + bytes;
    return at;
  }
  void release(std::size_t at, std::size_t bytes) {
    const auto after = by_offset_.lower_bound(at);
    if (after != by_offset_.end() && after->first == at + bytes) {
      const std::size_t size = after->second;
      remove(at + bytes, size);
      bytes += size;
    }
    const auto next = by_offset_.lower_bound(at);
    if (next != by_offset_.begin()) {
      const auto [before, size] = *std::prev(next);
      if (before + size == at) {
        remove(before, size);
        at = before;
        bytes += size;
      }
    }
    insert(at, bytes);
  }

 private:
  void insert(std::size_t at, std::size_t bytes) {
    by_offset_.emplace(at, bytes);
    by_size_.emplace(bytes, at);
  }
  void remove(std::size_t at, std::size_t bytes) {
    by_offset_.erase(at);
    by_size_.erase({bytes, at});
  }

  std::map<std::size_t, std::size_t> by_offset_{};
  std::set<std::pair<std::size_t, std::size_t>> by_size_{};
  std::size_t end_ = 0;
};

/// In the order of time, each into the smallest gap that there is at its first step.
void pack_in_time(const std::vector<Lifetime>& items, std::size_t alignment, Packing& p) {
  std::vector<std::size_t> begins(items.size()), ends(items.size());
  std::iota(begins.begin(), begins.end(), 0);
  std::iota(ends.begin(), ends.end(), 0);
  std::sort(begins.begin(), begins.end(), [&](std::size_t a, std::size_t b) {
    const Lifetime &x = items[a], &y = items[b];
    return std::tuple(x.first, y.bytes, a) < std::tuple(y.first, x.bytes, b);  // larger ones first
  });
  std::sort(ends.begin(), ends.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(items[a].last, a) < std::tuple(items[b].last, b);
  });
  FreeList free;
  auto ended = ends.begin();
  for (std::size_t i : begins) {
    for (; items[*ended].last < items[i].first; ++ended)
      free.release(p.offsets[*ended], round_up(items[*ended].bytes, alignment));
    p.offsets[i] = free.allocate(round_up(items[i].bytes, alignment));
    p.bytes = std::max(p.bytes, p.offsets[i] + items[i].bytes);
  }
}

/// Largest first, each at the lowest place where nothing alive at the same time lies: packs better,
/// but the time grows with the square of the number.
void pack_by_size(const std::vector<Lifetime>& items, std::size_t alignment, Packing& p) {
  struct Placed {
    int first, last;
    std::size_t begin, end;  // `end` is a multiple of the alignment
  };
  std::vector<Placed> placed;  // by `begin`
  placed.reserve(items.size());
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return items[a].bytes > items[b].bytes; });
  for (std::size_t i : order) {
    const auto [first, last, bytes] = items[i];
    std::size_t at = 0;
    for (const Placed& other : placed) {
      if (other.last < first || last < other.first) continue;
      if (at + bytes <= other.begin) break;
      at = std::max(at, other.end);
    }
    p.offsets[i] = at;
    p.bytes = std::max(p.bytes, at + bytes);
    const auto behind = [](std::size_t begin, const Placed& other) { return begin < other.begin; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), at, behind),
                  {first, last, at, round_up(at + bytes, alignment)});
  }
}

}  // namespace

Packing pack(const std::vector<Lifetime>& items, std::size_t alignment) {
  constexpr std::size_t max_by_size = 4096;
  Packing p{std::vector<std::size_t>(items.size())};
  (items.size() <= max_by_size ? pack_by_size : pack_in_time)(items, alignment, p);
  p.lower_bound = max_alive(items);
  return p;
}

}  // namespace webnn::inline v0_1
