// Where boxes go: layers downwards, none upon another, lines from edge to edge.
#include "tools/webnn/page/layout.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

namespace webnn::inline v0_1::tool {
namespace {

void check(const Drawing& p) {
  for (std::size_t i = 0; i < p.boxes.size(); ++i) {
    const Box& a = p.boxes[i];
    CHECK(a.x >= -1e-6);
    CHECK(a.y >= -1e-6);
    CHECK(a.x + a.width <= p.width + 1e-6);
    CHECK(a.y + a.height <= p.height + 1e-6);
    for (std::size_t k = 0; k < i; ++k) {
      const Box& b = p.boxes[k];
      const bool apart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y ||
                         b.y + b.height <= a.y;
      REQUIRE(apart);
    }
  }
  for (const Line& l : p.lines) {
    const Box &from = p.boxes[l.from], &to = p.boxes[l.to];
    REQUIRE(l.points.size() >= 2);
    CHECK(from.y + from.height < to.y);
    CHECK(l.points.front().y == from.y + from.height);
    CHECK(l.points.back().y == to.y);
    for (std::size_t i = 1; i < l.points.size(); ++i) CHECK(l.points[i - 1].y < l.points[i].y);
  }
}

TEST_CASE("layout: a chain is straight") {
  const Drawing p = layout({{100, 30}, {60, 44}, {80, 30}}, {{0, 1}, {1, 2}});
  check(p);
  for (const Box& b : p.boxes) CHECK(b.x + b.width / 2 == Approx(p.width / 2));
}

TEST_CASE("layout: nothing, one box, boxes without lines") {
  CHECK(layout({}, {}).boxes.empty());
  check(layout({{100, 30}}, {}));
  check(layout({{100, 30}, {50, 30}, {70, 30}}, {}));
}

TEST_CASE("layout: parts that no line joins are next to each other") {
  const Drawing p = layout({{100, 30}, {100, 30}, {100, 30}, {100, 30}, {100, 30}, {100, 30}},
                           {{0, 2}, {1, 3}, {1, 4}, {3, 5}});
  check(p);
  CHECK(p.width < 450);
}

TEST_CASE("layout: random graphs") {
  test::Random random(5);
  for (int round = 0; round < 60; ++round) {
    std::vector<Box> boxes;
    std::vector<Line> lines;
    const std::uint32_t n = random.integer(1, 40);
    for (std::uint32_t i = 0; i < n; ++i) {
      boxes.push_back({random.uniform(20, 200), random.integer(0, 1) ? 30.0 : 44.0});
      for (std::uint32_t k = random.integer(0, 3); i > 0 && k > 0; --k)
        lines.push_back({random.integer(0, i - 1), i});  // also twice the same
    }
    check(layout(std::move(boxes), std::move(lines)));
  }
}

}  // namespace
}  // namespace webnn::inline v0_1::tool
