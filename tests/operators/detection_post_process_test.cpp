// webnn.DetectionPostProcess: the detections of TensorFlow Lite's own example, and what is refused.
#include <cmath>
#include <limits>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Doubles = std::vector<double>;

/// Six boxes around three places, with scores of two classes behind the background.
const Tensor boxes = tensor(
    float32, {1, 6, 4}, {0, 0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0});
const Tensor scores =
    tensor(float32, {1, 6, 3},
           {0, 0.9, 0.8, 0, 0.75, 0.72, 0, 0.6, 0.5, 0, 0.93, 0.95, 0, 0.5, 0.4, 0, 0.3, 0.2});
const Tensor anchors =
    tensor(float32, {6, 4}, {0.5, 0.5,  1, 1, 0.5, 0.5,  1, 1, 0.5, 0.5,   1, 1,
                             0.5, 10.5, 1, 1, 0.5, 10.5, 1, 1, 0.5, 100.5, 1, 1});

Doubles elements(const Tensor& y) {
  Doubles all;
  for (std::size_t i = 0; i < y.size(); ++i) all.push_back(y[i]);
  return all;
}
void check(const Tensor& y, const Doubles& expected) {
  REQUIRE(y.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(y[i] - expected[i]) < 1e-5);
  }
}
CustomAttributes attributes(std::uint32_t most, bool regular) {
  return {{"maxDetections", most}, {"classes", 2}, {"regular", regular}, {"iouThreshold", 0.5}};
}

/// Detections by their definition, in double: the best candidate of all that are left.
struct Detection {
  std::size_t box, c;
  double score;
};
std::vector<Detection> expected(const std::vector<Doubles>& corners, const Tensor& s,
                                std::uint32_t first, std::uint32_t classes, double least,
                                double iou, std::size_t of_class) {
  std::vector<Detection> all;
  for (std::uint32_t c = 0; c < classes; ++c) {
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < corners.size(); ++i)
      if (s.at({0, i, first + c}) >= least) left.push_back(i);
    for (std::size_t k = 0; k < of_class && !left.empty(); ++k) {
      const std::uint32_t best = *std::ranges::max_element(left, {}, [&](std::uint32_t i) {
        return s.at({0, i, first + c});
      });
      all.push_back({best, c, s.at({0, best, first + c})});
      std::erase_if(left, [&](std::uint32_t i) {
        const Doubles &a = corners[best], &b = corners[i];
        const double h = std::min(a[2], b[2]) - std::max(a[0], b[0]),
                     w = std::min(a[3], b[3]) - std::max(a[1], b[1]);
        const double shared = std::max(h, 0.0) * std::max(w, 0.0);
        const double sum = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]);
        return i == best || shared / (sum - shared) > iou;
      });
    }
  }
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.score > b.score; });
  return all;
}

}  // namespace

TEST_CASE("DetectionPostProcess: TensorFlow Lite's example") {
  const auto fast = run_operator(operators::detection_post_process(), {boxes, scores, anchors},
                                 attributes(3, false));
  check(fast[0], {0, 10, 1, 11, 0, 0, 1, 1, 0, 100, 1, 101});
  check(fast[1], {1, 0, 0});
  check(fast[2], {0.95, 0.9, 0.3});
  check(fast[3], {3});
  CustomAttributes one = attributes(3, true);
  one.push_back({"detectionsPerClass", 1});
  const auto regular =
      run_operator(operators::detection_post_process(), {boxes, scores, anchors}, one);
  check(regular[0], {0, 10, 1, 11, 0, 10, 1, 11, 0, 0, 0, 0});
  check(regular[1], {1, 0, 0});
  check(regular[2], {0.95, 0.93, 0});
  check(regular[3], {2});
}

TEST_CASE("DetectionPostProcess: several classes of a box, and none above the threshold") {
  CustomAttributes two = attributes(2, false);
  two.push_back({"maxClassesPerDetection", 3});
  const auto y = run_operator(operators::detection_post_process(), {boxes, scores, anchors}, two);
  CHECK(y[1].shape == Dims{1, 6});
  check(y[1], {1, 0, 0, 0, 1, 0});
  check(y[2], {0.95, 0.93, 0, 0.9, 0.8, 0});
  check(y[3], {2});
  CustomAttributes none = attributes(3, true);
  none.push_back({"scoreThreshold", 0.99});
  const auto empty =
      run_operator(operators::detection_post_process(), {boxes, scores, anchors}, none);
  check(empty[3], {0});
  CHECK(elements(empty[0]) == Doubles(12, 0));
}

TEST_CASE("DetectionPostProcess: each class by itself, with and without a background") {
  Random random(1);
  for (const std::uint32_t background : {0u, 1u}) {
    constexpr std::uint32_t n = 80, classes = 4, most = 30;
    const Tensor x = random.tensor(float32, {1, n, 5}, -2, 2),
                 s = random.tensor(float32, {1, n, classes + background}, 0, 1);
    Tensor a = random.tensor(float32, {n, 4}, 0.5, 3);
    const auto y = run_operator(operators::detection_post_process(), {x, s, a},
                                {{"maxDetections", most},
                                 {"classes", classes},
                                 {"regular", true},
                                 {"detectionsPerClass", 12},
                                 {"scoreThreshold", 0.25},
                                 {"iouThreshold", 0.4},
                                 {"scales", {10.0, 5.0, 4.0, 2.0}}});
    std::vector<Doubles> corners;
    for (std::uint32_t i = 0; i < n; ++i) {
      const double cy = x.at({0, i, 0}) / 10 * a.at({i, 2}) + a.at({i, 0}),
                   cx = x.at({0, i, 1}) / 5 * a.at({i, 3}) + a.at({i, 1}),
                   h = std::exp(x.at({0, i, 2}) / 4) * a.at({i, 2}) / 2,
                   w = std::exp(x.at({0, i, 3}) / 2) * a.at({i, 3}) / 2;
      corners.push_back({cy - h, cx - w, cy + h, cx + w});
    }
    const auto all = expected(corners, s, background, classes, 0.25, 0.4, 12);
    const std::size_t count = std::min<std::size_t>(all.size(), most);
    CHECK(y[3][0] == static_cast<double>(count));
    for (std::uint32_t i = 0; i < count; ++i) {
      REQUIRE(y[1][i] == static_cast<double>(all[i].c));
      REQUIRE(y[2][i] == all[i].score);
      for (std::uint32_t k = 0; k < 4; ++k)
        REQUIRE(std::abs(y[0].at({0, i, k}) - corners[all[i].box][k]) < 1e-4);
    }
  }
}

TEST_CASE("DetectionPostProcess: numbers that are not finite, boxes that are turned") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor x = tensor(float32, {1, 3, 4}, {nan, 0, 0, 0, 0, 0, 1e9, 0, 0, 0, 0, 0});
  const Tensor s = tensor(float32, {1, 3, 1}, {0.5, 0.25, nan});
  const Tensor a = tensor(float32, {3, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, -1, -1});
  const auto y = run_operator(operators::detection_post_process(), {x, s, a},
                              {{"maxDetections", 3}, {"classes", 1}});
  CHECK(y[3][0] == 2);
  CHECK(y[2][0] == 0.5);
  CHECK(y[2][1] == 0.25);
}

TEST_CASE("DetectionPostProcess: what it refuses") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  auto in = [&, n = 0](MLOperandDataType type, Dims shape) mutable {
    return b.input("i" + std::to_string(n++), {type, std::move(shape)});
  };
  const MLOperand x = in(float32, {1, 6, 4}), s = in(float32, {1, 6, 3}), a = in(float32, {6, 4});
  const auto refused = [&](std::vector<MLOperand> operands, CustomAttributes more = {}) {
    CustomAttributes all{{"maxDetections", 3}, {"classes", 2}};
    for (auto& m : more) {
      std::erase_if(all, [&](const auto& other) { return other.name == m.name; });
      all.push_back(m);
    }
    return thrown([&] { b.custom("webnn.DetectionPostProcess", operands, {.attributes = all}); });
  };
  CHECK(refused({x, s, a}) == "nothing");
  CHECK_THAT(refused({x, s}), ContainsSubstring("it has 2 operands"));
  CHECK_THAT(refused({in(float32, {2, 6, 4}), s, a}), ContainsSubstring("are not [1, boxes, 4"));
  CHECK_THAT(refused({in(float16, {1, 6, 4}), s, a}), ContainsSubstring("its boxes is float16"));
  CHECK_THAT(refused({x, in(float32, {1, 5, 3}), a}), ContainsSubstring("are not [1, 6, classes]"));
  CHECK_THAT(refused({x, s, in(float32, {5, 4})}), ContainsSubstring("its anchors of shape"));
  CHECK_THAT(refused({x, s, a}, {{"classes", 1}}),
             ContainsSubstring("3 classes, but classes is 1"));
  CHECK_THAT(refused({x, s, a}, {{"maxDetections", 0}}), ContainsSubstring("maxDetections (0)"));
  CHECK_THAT(refused({x, s, a}, {{"maxDetections", 1 << 20}, {"maxClassesPerDetection", 1 << 20}}),
             ContainsSubstring("detections"));
  CHECK_THAT(refused({x, s, a}, {{"iouThreshold", 0.0}}), ContainsSubstring("iouThreshold (0)"));
  CHECK_THAT(refused({x, s, a}, {{"scales", {1.0, 1.0, 0.0, 1.0}}}),
             ContainsSubstring("scales has 0"));
}
