#include "src/runtime/arena.h"

#include <random>

#include "tests/support/catch.h"

using namespace webnn;

namespace {

void check(const std::vector<Lifetime>& items, const Packing& p, std::size_t alignment) {
  REQUIRE(p.offsets.size() == items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    REQUIRE(p.offsets[i] % alignment == 0);
    REQUIRE(p.offsets[i] + items[i].bytes <= p.bytes);
    for (std::size_t k = 0; k < i; ++k) {
      const bool together = items[i].first <= items[k].last && items[k].first <= items[i].last;
      const bool apart = p.offsets[i] + items[i].bytes <= p.offsets[k] ||
                         p.offsets[k] + items[k].bytes <= p.offsets[i];
      REQUIRE((!together || apart));
    }
  }
  REQUIRE(p.bytes >= p.lower_bound);
}

std::size_t busiest(const std::vector<Lifetime>& items) {
  std::size_t most = 0;
  for (int t = 0; t <= 1000; ++t) {
    std::size_t alive = 0;
    for (const Lifetime& i : items) alive += i.first <= t && t <= i.last ? i.bytes : 0;
    most = std::max(most, alive);
  }
  return most;
}

}  // namespace

TEST_CASE("nothing alive at the same time overlaps") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<Lifetime> items;
    const int count = static_cast<int>(random() % 60);
    for (int i = 0; i < count; ++i) {
      const int first = static_cast<int>(random() % 50);
      const int last = first + static_cast<int>(random() % (random() % 4 ? 3 : 50));
      items.push_back({first, last, 1 + random() % (random() % 2 ? 100 : 100000)});
    }
    const std::size_t alignment = round % 2 ? 256 : 1;
    const Packing p = pack(items, alignment);
    check(items, p, alignment);
    REQUIRE(p.lower_bound == busiest(items));
  }
}

TEST_CASE("what a network needs is packed closely") {
  // A chain in which each step reads one and writes one, with residuals now and then.
  std::mt19937 random(2);
  double ratios = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<Lifetime> items;
    for (int i = 0; i < 60; ++i)
      items.push_back({i, i + (random() % 4 ? 1 : 4), 256 * (1 + random() % 500)});
    const Packing p = pack(items, 256);
    check(items, p, 256);
    ratios += static_cast<double>(p.bytes) / static_cast<double>(p.lower_bound);
  }
  CHECK(ratios / 50 < 1.1);
}

TEST_CASE("equal buffers in a chain take two places") {
  std::vector<Lifetime> items;
  for (int i = 0; i < 100; ++i) items.push_back({i, i + 1, 4096});
  CHECK(pack(items, 256).bytes == 8192);
  CHECK(pack({}, 256).bytes == 0);
  CHECK(pack({}, 256).lower_bound == 0);
}
