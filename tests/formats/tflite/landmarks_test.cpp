// MediaPipe's operators on landmarks against their definitions, in double.
#include <cmath>

#include "src/formats/tflite/options.h"
#include "tests/formats/tflite/refusal.h"
#include "tests/formats/tflite/run.h"
#include "tests/formats/tflite/writer.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::tflite::test;
namespace fbs = webnn::tflite::schema;

namespace {

constexpr auto f32 = fbs::TensorType::FLOAT32;
using Doubles = std::vector<double>;

Writer one(std::string_view name, const std::vector<Shape>& inputs, const CustomAttributes& o) {
  Writer w;
  std::vector<int> in;
  for (const Shape& shape : inputs) in.push_back(w.input(f32, shape));
  w.output(w.op(fbs::BuiltinOperator::CUSTOM, in, {w.result(f32)}));
  w.model.operator_codes.back()->custom_code = name;
  w.last().custom_options = tflite::bytes_from(o);
  return w;
}
Tensor floats(Dims shape, const Doubles& values) {
  return webnn::test::tensor(float32, std::move(shape), values);
}

double read(const Tensor& x, double y, double v, std::uint32_t c) {
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    const double i = std::floor(y) + k / 2, j = std::floor(v) + k % 2;
    if (i >= x.shape[1] || j >= x.shape[2]) continue;
    sum += (1 - std::abs(y - i)) * (1 - std::abs(v - j)) *
           x.at({0, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), c});
  }
  return sum;
}

}  // namespace

TEST_CASE("tflite: TransformTensorBilinear") {
  webnn::test::Random random(1);
  const Tensor x = random.tensor(float32, {1, 6, 9, 2});
  for (const Doubles& m : {Doubles{1, 0, 9, 0, 0, 1, 9, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                           Doubles{0.8, 0.3, 9, 1.3, -0.4, 0.7, 9, 0.9, 0, 0, 1, 0, 0, 0, 0, 1},
                           Doubles{3, 0, 0, -5.1, 0, -2, 0, 6.2, 0, 0, 1, 0, 0, 0, 0, 1}}) {
    const Writer w = one("TransformTensorBilinear", {{1, 6, 9, 2}, {1, 4, 4}},
                         {{"output_height", 5}, {"output_width", 7}});
    const std::vector<Tensor> inputs{x, floats({1, 4, 4}, m)};
    const Tensor y = run(w.file(), inputs).at(0);
    CHECK(y.shape == Dims{1, 5, 7, 2});
    std::size_t outside = 0;
    webnn::test::for_each_place(y.shape, [&](const Dims& p) {
      const double column = m[0] * (p[2] + 0.5) + m[1] * (p[1] + 0.5) + m[3] - 0.5,
                   row = m[4] * (p[2] + 0.5) + m[5] * (p[1] + 0.5) + m[7] - 0.5;
      const bool within = column >= 0 && column <= 8 && row >= 0 && row <= 5;
      outside += !within;
      REQUIRE(std::abs(y.at(p) - (within ? read(x, row, column, p[3]) : 0)) < 1e-4);
    });
    CHECK((outside > 0) == (m[0] != 1));
  }
}

TEST_CASE("tflite: Landmarks2TransformMatrix") {
  webnn::test::Random random(2);
  for (const double target : {0.0, 0.7, -1.9})
    for (const bool turned : {false, true}) {
      const Tensor x = random.tensor(float32, {1, 5, 3}, 0, 100);
      const std::uint32_t left = turned ? 3 : 0, right = turned ? 1 : 4;
      const Writer w = one("Landmarks2TransformMatrix", {{1, 5, 3}},
                           {{"left_rotation_idx", left},
                            {"right_rotation_idx", right},
                            {"target_rotation_radians", target},
                            {"output_height", 16},
                            {"output_width", 24},
                            {"scale_x", 1.5},
                            {"scale_y", 2.0},
                            {"subset_idxs", std::vector<std::int64_t>{0, 2, 2, 4}}});
      const Tensor y = run(w.file(), std::span(&x, 1)).at(0);
      CHECK(y.shape == Dims{1, 4, 4});
      const auto at = [&](std::uint32_t i, std::uint32_t d) { return x.at({0, i, d}); };
      const double r = target - std::atan2(at(right, 1) - at(left, 1), at(right, 0) - at(left, 0));
      double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
      for (const std::uint32_t i : {0u, 2u, 4u}) {
        const double v[2] = {std::cos(r) * at(i, 0) - std::sin(r) * at(i, 1),
                             std::sin(r) * at(i, 0) + std::cos(r) * at(i, 1)};
        for (int d = 0; d < 2; ++d)
          low[d] = std::min(low[d], v[d]), high[d] = std::max(high[d], v[d]);
      }
      // The corners of the picture are those of the larger box, turned back.
      for (const double u : {0.0, 24.0})
        for (const double v : {0.0, 16.0}) {
          const double px = (low[0] + high[0]) / 2 + (u / 24 - 0.5) * 1.5 * (high[0] - low[0]),
                       py = (low[1] + high[1]) / 2 + (v / 16 - 0.5) * 2 * (high[1] - low[1]);
          const double expected[2] = {std::cos(r) * px + std::sin(r) * py,
                                      -std::sin(r) * px + std::cos(r) * py};
          for (std::uint32_t d = 0; d < 2; ++d) {
            const double moved = y.at({0, d, 0}) * u + y.at({0, d, 1}) * v + y.at({0, d, 3});
            CHECK(std::abs(moved - expected[d]) < 1e-3);
            CHECK(y.at({0, d, 2}) == 0);
          }
        }
      for (std::uint32_t i = 8; i < 16; ++i) CHECK(y[i] == (i == 10 || i == 15 ? 1 : 0));
    }
}

TEST_CASE("tflite: Landmarks2TransformMatrix of two landmarks at one place") {
  const Writer w = one("Landmarks2TransformMatrix", {{1, 2, 3}},
                       {{"left_rotation_idx", 0},
                        {"right_rotation_idx", 0},
                        {"output_height", 2},
                        {"output_width", 2},
                        {"scale_x", 1.0},
                        {"scale_y", 1.0},
                        {"subset_idxs", std::vector<std::int64_t>{0, 1}}});
  const Tensor x = floats({1, 2, 3}, {0, 0, 0, 4, 6, 0});
  const Tensor y = run(w.file(), std::span(&x, 1)).at(0);
  const Doubles expected{2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  for (std::size_t i = 0; i < 16; ++i) CHECK(std::abs(y[i] - expected[i]) < 1e-5);
}

TEST_CASE("tflite: TransformLandmarks of two and three dimensions") {
  const Doubles m{2, 1, 9, 3, -1, 0.5, 9, 4, 0, 0, 1, 0, 0, 0, 0, 1};
  for (const auto& [d, stated] : {std::pair(2, true), {3, true}, {2, false}, {3, false}}) {
    Writer w = one("TransformLandmarks", {{1, 4, d}, {1, 4, 4}}, {{"dimensions", d}});
    if (!stated) w.last().custom_options.clear();  // as MediaPipe's models have them
    webnn::test::Random random(3);
    const auto n = static_cast<std::uint32_t>(d);
    const std::vector<Tensor> inputs{random.tensor(float32, {1, 4, n}), floats({1, 4, 4}, m)};
    const Tensor y = run(w.file(), inputs).at(0);
    CHECK(y.shape == Dims{1, 4, n});
    for (std::uint32_t i = 0; i < 4; ++i) {
      const double a = inputs[0].at({0, i, 0}), b = inputs[0].at({0, i, 1});
      CHECK(std::abs(y.at({0, i, 0}) - (2 * a + b + 3)) < 1e-5);
      CHECK(std::abs(y.at({0, i, 1}) - (-a + 0.5 * b + 4)) < 1e-5);
      if (d == 3) CHECK(y.at({0, i, 2}) == inputs[0].at({0, i, 2}));
    }
  }
}

TEST_CASE("tflite: operators on landmarks whose options are wrong") {
  CHECK_THAT(
      refusal(one("TransformTensorBilinear", {{1, 6, 9, 2}, {1, 4, 4}}, {{"output_height", 5}})),
      ContainsSubstring("its options have no output_width"));
  CHECK_THAT(refusal(one("TransformTensorBilinear", {{1, 6, 9, 2}, {1, 4, 4}},
                         {{"output_height", 0}, {"output_width", 5}})),
             ContainsSubstring("its option output_height is 0"));
  CHECK_THAT(refusal(one("Landmarks2TransformMatrix", {{1, 2, 3}},
                         {{"left_rotation_idx", 0},
                          {"right_rotation_idx", 2},
                          {"output_height", 2},
                          {"output_width", 2},
                          {"scale_x", 1.0},
                          {"scale_y", 1.0},
                          {"subset_idxs", std::vector<std::int64_t>{0, 1}}})),
             ContainsSubstring("the index 2 is not within 2 landmarks"));
  CHECK_THAT(refusal(one("TransformLandmarks", {{1, 4, 3}, {1, 4, 4}}, {{"dimensions", 4}})),
             ContainsSubstring("its dimensions are 4"));
  Writer w = one("TransformLandmarks", {{1, 3, 4}, {1, 4, 4}}, {});
  w.last().custom_options.clear();
  CHECK_THAT(refusal(w), ContainsSubstring("its dimensions are 4"));
}
