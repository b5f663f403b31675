// webnn.NonMaxSuppression against its definition: the best box of those that are left, again and
// again, which takes those away that overlap it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Corners {
  double low[2], high[2];
};
Corners corners(const Tensor& boxes, std::uint32_t n, std::uint32_t i, bool center) {
  const auto v = [&](std::uint32_t k) { return boxes.at({n, i, k}); };
  Corners c{};
  for (std::uint32_t d = 0; d < 2; ++d) {
    const double a = center ? v(d) - v(2 + d) / 2 : std::min(v(d), v(2 + d));
    const double b = center ? v(d) + v(2 + d) / 2 : std::max(v(d), v(2 + d));
    c.low[d] = a, c.high[d] = b;
  }
  return c;
}
double overlap(const Corners& a, const Corners& b) {
  double shared = 1, of_a = 1, of_b = 1;
  for (int d = 0; d < 2; ++d) {
    shared *= std::max(0.0, std::min(a.high[d], b.high[d]) - std::max(a.low[d], b.low[d]));
    of_a *= a.high[d] - a.low[d], of_b *= b.high[d] - b.low[d];
  }
  return shared == 0 ? 0 : shared / (of_a + of_b - shared);
}

struct Limits {
  double iou = 0, least = -std::numeric_limits<double>::infinity();
  std::size_t most = 0;
};

std::vector<double> expected(const Tensor& boxes, const Tensor& scores, bool center,
                             const Limits& limits) {
  std::vector<double> rows;
  for (std::uint32_t n = 0; n < scores.shape[0]; ++n)
    for (std::uint32_t c = 0; c < scores.shape[1]; ++c) {
      std::vector<std::uint32_t> left;
      for (std::uint32_t i = 0; i < scores.shape[2]; ++i)
        if (scores.at({n, c, i}) > limits.least) left.push_back(i);
      for (std::size_t k = 0; k < limits.most && !left.empty(); ++k) {
        const std::uint32_t best = *std::ranges::max_element(left, {}, [&](std::uint32_t i) {
          return scores.at({n, c, i});
        });
        rows.insert(rows.end(), {double(n), double(c), double(best)});
        const Corners chosen = corners(boxes, n, best, center);
        std::erase_if(left, [&](std::uint32_t i) {
          return i == best || overlap(chosen, corners(boxes, n, i, center)) > limits.iou;
        });
      }
    }
  return rows;
}

Tensor scalar(double v) { return tensor(float32, {}, {v}); }

void check(const std::vector<Tensor>& operands, bool center, std::uint32_t most,
           const Limits& limits) {
  const auto y = run_operator(operators::non_max_suppression(), operands,
                              {{"maxPerClass", most}, {"center", center}});
  const auto rows = expected(operands[0], operands[1], center, limits);
  REQUIRE(y.size() == 2);
  const std::uint32_t n = operands[1].shape[2], each = most == 0 ? n : std::min(most, n);
  CHECK(y[0].shape == Dims{operands[1].shape[0] * operands[1].shape[1] * each, 3});
  CHECK(y[1].shape == Dims{});
  CHECK(y[1][0] * 3 == static_cast<double>(rows.size()));
  for (std::size_t i = 0; i < y[0].size(); ++i)
    REQUIRE(y[0][i] == (i < rows.size() ? rows[i] : -1));
}

/// Whole numbers: overlaps are exact enough to compare with thresholds between them.
Tensor some_boxes(Random& random, MLOperandDataType type, std::uint32_t batch, std::uint32_t n) {
  Tensor t = filled(type, {batch, n, 4}, 0);
  for (std::size_t i = 0; i < t.size(); ++i) t.set(i, 1 + random.integer(0, 11));
  return t;
}
Tensor some_scores(Random& random, MLOperandDataType type, const Dims& shape) {
  Tensor t = filled(type, shape, 0);
  for (std::size_t i = 0; i < t.size(); ++i) t.set(i, random.integer(0, 64) / 64.0);
  return t;
}

}  // namespace

TEST_CASE("NonMaxSuppression: batches, classes, types, corners and centers") {
  Random random(1);
  for (const MLOperandDataType type : {float32, float16, bfloat16})
    for (const bool center : {false, true})
      for (const std::uint32_t most : {0u, 1u, 5u, 100u}) {
        const Tensor boxes = some_boxes(random, type, 2, 40),
                     scores = some_scores(random, type, {2, 3, 40});
        const std::size_t each = most == 0 ? 40 : most;
        check({boxes, scores}, center, most, {.most = each});
        check({boxes, scores, scalar(0.503)}, center, most, {0.503, -1, each});
        check({boxes, scores, scalar(0.503), scalar(0.25)}, center, most, {0.503, 0.25, each});
        for (const MLOperandDataType integer : {int32, int64})
          check({boxes, scores, scalar(0.503), scalar(0.25), tensor(integer, {1}, {3})}, center,
                most, {0.503, 0.25, std::min<std::size_t>(3, each)});
      }
}

TEST_CASE("NonMaxSuppression: many boxes and classes") {
  Random random(2);
  const Tensor boxes = some_boxes(random, float32, 1, 600),
               scores = some_scores(random, float32, {1, 20, 600});
  check({boxes, scores, scalar(0.303), scalar(0.5)}, false, 50, {0.303, 0.5, 50});
}

TEST_CASE("NonMaxSuppression: numbers that are not finite, boxes without area, odd limits") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  const Tensor boxes = tensor(float32, {1, 5, 4}, {0, 0, 1,   1, 0,   0, 0,        0, nan, nan,
                                                   1, 1, 0.5, 0, nan, 1, infinite, 0, 1,   1});
  const Tensor scores = tensor(float32, {1, 1, 5}, {0.5, nan, 0.25, -infinite, infinite});
  const auto all = run_operator(operators::non_max_suppression(), {boxes, scores}, {});
  CHECK(all[1][0] == 4);  // a score that is no number is never selected
  CHECK(all[0].at({0, 2}) == 4);
  CHECK(all[0].at({1, 2}) == 0);
  CHECK(all[0].at({2, 2}) == 2);
  CHECK(all[0].at({3, 2}) == 3);
  CHECK(all[0].at({4, 2}) == -1);
  for (const double limit : {0.0, -5.0, 1e18}) {
    const auto y = run_operator(operators::non_max_suppression(),
                                {boxes, scores, scalar(0), scalar(0), tensor(int64, {}, {limit})},
                                {{"maxPerClass", 4}});
    CHECK(y[1][0] == (limit > 0 ? 3 : 0));
  }
}

TEST_CASE("NonMaxSuppression: what it refuses") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  auto in = [&, n = 0](MLOperandDataType type, Dims shape) mutable {
    return b.input("i" + std::to_string(n++), {type, std::move(shape)});
  };
  const auto refused = [&](std::vector<MLOperand> operands, CustomAttributes attributes = {}) {
    return thrown(
        [&] { b.custom("webnn.NonMaxSuppression", operands, {.attributes = attributes}); });
  };
  const MLOperand boxes = in(float32, {2, 6, 4}), scores = in(float32, {2, 3, 6});
  CHECK(refused({boxes, scores}) == "nothing");
  CHECK_THAT(refused({boxes}), ContainsSubstring("it has 1 operands, not 2 to 5"));
  CHECK_THAT(refused({in(int32, {2, 6, 4}), scores}), ContainsSubstring("its boxes is int32"));
  CHECK_THAT(refused({in(float32, {2, 6, 5}), scores}), ContainsSubstring("[batch, boxes, 4]"));
  CHECK_THAT(refused({boxes, in(float32, {2, 3, 7})}), ContainsSubstring("[2, classes, 6]"));
  CHECK_THAT(refused({boxes, in(float16, {2, 3, 6})}),
             ContainsSubstring("is float16, not float32"));
  CHECK_THAT(refused({boxes, scores, in(float32, {2})}),
             ContainsSubstring("its iouThreshold has 2 elements"));
  CHECK_THAT(refused({boxes, scores, in(float32, {}), in(int32, {})}),
             ContainsSubstring("its scoreThreshold is int32"));
  CHECK_THAT(refused({boxes, scores, in(float32, {}), in(float32, {}), in(float32, {})}),
             ContainsSubstring("its limit is float32"));
  CHECK_THAT(refused({boxes, scores}, {{"maxPerClass", -1}}),
             ContainsSubstring("maxPerClass (-1) is negative"));
  CHECK_THAT(refused({in(float32, {1, 10000, 4}), in(float32, {1, 10000, 10000})}),
             ContainsSubstring("the selected boxes can be 100000000"));
}
