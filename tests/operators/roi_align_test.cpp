// webnn.RoiAlign against its definition, in double.
#include <cmath>
#include <limits>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Pool {
  std::uint32_t height, width, samples;
  double scale;
  bool half_pixel, max;
};

struct Sample {
  double corners[4];  // weighted
};

Sample sample(const Tensor& x, std::uint32_t n, std::uint32_t c, double y, double v) {
  const double height = x.shape[2], width = x.shape[3];
  Sample s{};
  if (y < -1 || y > height || v < -1 || v > width) return s;
  y = std::clamp(y, 0.0, height - 1), v = std::clamp(v, 0.0, width - 1);
  for (int k = 0; k < 4; ++k) {
    const double i = std::floor(y) + k / 2, j = std::floor(v) + k % 2;
    const double weight = (1 - std::abs(y - i)) * (1 - std::abs(v - j));
    if (i < height && j < width)
      s.corners[k] =
          weight * x.at({n, c, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)});
  }
  return s;
}

double expected(const Tensor& x, const Tensor& rois, const Pool& p, std::uint32_t region,
                std::uint32_t n, const Dims& place) {
  const double offset = p.half_pixel ? 0.5 : 0;
  double start[2], bin[2], samples[2];
  for (std::uint32_t d = 0; d < 2; ++d) {  // height, then width
    const double from = rois.at({region, 1 - d}) * p.scale - offset,
                 to = rois.at({region, 3 - d}) * p.scale - offset;
    const double size = p.half_pixel ? to - from : std::max(to - from, 1.0);
    start[d] = from;
    bin[d] = size / (d == 0 ? p.height : p.width);
    samples[d] = p.samples > 0 ? p.samples : std::ceil(bin[d]);
  }
  double sum = 0, largest = -std::numeric_limits<double>::infinity();
  for (double i = 0; i < samples[0]; ++i)
    for (double j = 0; j < samples[1]; ++j) {
      const Sample s =
          sample(x, n, place[1], start[0] + place[2] * bin[0] + (i + 0.5) * bin[0] / samples[0],
                 start[1] + place[3] * bin[1] + (j + 0.5) * bin[1] / samples[1]);
      for (const double v : s.corners) sum += v, largest = std::max(largest, v);
    }
  const double count = samples[0] * samples[1];
  if (samples[0] < 1 || samples[1] < 1) return 0;
  return p.max ? largest : sum / count;
}

void check(const Tensor& x, const Tensor& rois, const Tensor& indices, const Pool& p,
           double tolerance) {
  CAPTURE(p.height, p.samples, p.scale, p.half_pixel, p.max);
  const Tensor y = run_operator(operators::roi_align(), {x, rois, indices},
                                {{"height", p.height},
                                 {"width", p.width},
                                 {"samples", p.samples},
                                 {"scale", p.scale},
                                 {"halfPixel", p.half_pixel},
                                 {"mode", p.max ? "max" : "avg"}})
                       .front();
  CHECK(y.shape == Dims{rois.shape[0], x.shape[1], p.height, p.width});
  for_each_place(y.shape, [&](const Dims& place) {
    const auto n = static_cast<std::uint32_t>(indices[place[0]]);
    REQUIRE(std::abs(y.at(place) - expected(x, rois, p, place[0], n, place)) <= tolerance);
  });
}

/// Sixteenths, so that no place is next to an edge by rounding; some reach beyond the image.
Tensor regions(Random& random, MLOperandDataType type, std::uint32_t n, double scale) {
  Tensor t = filled(type, {n, 4}, 0);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t d = 0; d < 2; ++d) {
      const double from = (random.integer(0, 200) - 40.0) / 16 + 0.03125,
                   size = (random.integer(3, 160)) / 16.0;
      t.set(i * 4 + d, from / scale), t.set(i * 4 + 2 + d, (from + size) / scale);
    }
  return t;
}

}  // namespace

TEST_CASE("RoiAlign: modes, coordinates, samples and scales") {
  Random random(1);
  const Tensor x = random.tensor(float32, {2, 3, 9, 11});
  for (const MLOperandDataType index : {int32, int64})
    for (const bool half_pixel : {false, true})
      for (const bool max : {false, true})
        for (const std::uint32_t samples : {0u, 1u, 3u})
          for (const double scale : {1.0, 0.25}) {
            const Tensor rois = regions(random, float32, 6, scale);
            const Tensor indices = tensor(index, {6}, {0, 1, 1, 0, 0, 1});
            check(x, rois, indices, {3, 2, samples, scale, half_pixel, max}, 1e-4);
            check(x, rois, indices, {1, 5, samples, scale, half_pixel, max}, 1e-4);
          }
}

TEST_CASE("RoiAlign: float16, bfloat16, and many regions") {
  Random random(2);
  check(random.tensor(bfloat16, {1, 2, 8, 8}), regions(random, bfloat16, 4, 1),
        tensor(int64, {4}, {0, 0, 0, 0}), {2, 2, 2, 1, true, false}, 5e-2);
  check(random.tensor(float16, {1, 2, 8, 8}), regions(random, float16, 4, 1),
        tensor(int64, {4}, {0, 0, 0, 0}), {2, 2, 2, 1, true, false}, 6e-3);
  check(random.tensor(float32, {1, 37, 8, 8}), regions(random, float32, 60, 1),
        filled(int64, {60}, 0), {7, 7, 2, 1, true, false}, 1e-4);
}

TEST_CASE("RoiAlign: regions that are none, and indices outside, read no other memory") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  const Tensor x = filled(float32, {1, 1, 4, 4}, 1);
  const Tensor rois = tensor(
      float32, {8, 4}, {nan, 0, 1, 1, 0, 0, infinite, 1, 1e30, 0, 3e38, 1, 3,    3,    0,   0,
                        0,   0, 4, 4, 0, 0, 4,        4, 0,    0, 4,    4, -1e6, -1e6, 1e6, 1e6});
  Tensor indices = tensor(int64, {8}, {0, 0, 0, 0, -1, 1, 0, 0});
  indices.as<std::int64_t>()[5] = std::numeric_limits<std::int64_t>::max();
  for (const char* mode : {"avg", "max"})
    for (const bool half_pixel : {true, false}) {
      const Tensor y = run_operator(operators::roi_align(), {x, rois, indices},
                                    {{"mode", mode}, {"halfPixel", half_pixel}})
                           .front();
      for (const std::size_t i : {0, 1, 2, 4, 5}) CHECK(y[i] == 0);
      // All of the image: 1, save at its edges in half of the coordinates.
      CHECK(y[6] > 0);
      CHECK(y[6] <= 1);
      // Nearly all samples are outside.
      if (std::string_view(mode) == "avg") CHECK(y[7] < 1e-8);
      else CHECK(y[7] > 0.25);
    }
}

TEST_CASE("RoiAlign: what it refuses") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  auto in = [&, n = 0](MLOperandDataType type, Dims shape) mutable {
    return b.input("i" + std::to_string(n++), {type, std::move(shape)});
  };
  const auto refused = [&](std::vector<MLOperand> operands, CustomAttributes attributes = {}) {
    return thrown([&] { b.custom("webnn.RoiAlign", operands, {.attributes = attributes}); });
  };
  const MLOperand x = in(float32, {1, 2, 4, 4}), rois = in(float32, {3, 4}), i = in(int64, {3});
  CHECK(refused({x, rois, i}) == "nothing");
  CHECK_THAT(refused({x, rois}), ContainsSubstring("it has 2 operands"));
  CHECK_THAT(refused({in(float32, {2, 4, 4}), rois, i}), ContainsSubstring("is 3, not 4"));
  CHECK_THAT(refused({x, in(float32, {3, 5}), i}), ContainsSubstring("are not [regions, 4]"));
  CHECK_THAT(refused({x, in(float16, {3, 4}), i}), ContainsSubstring("is float16, not float32"));
  CHECK_THAT(refused({x, rois, in(int64, {4})}), ContainsSubstring("3 regions and 4 indices"));
  CHECK_THAT(refused({x, rois, in(float32, {3})}), ContainsSubstring("its indices is float32"));
  CHECK_THAT(refused({x, rois, i}, {{"mode", "sum"}}), ContainsSubstring("mode (\"sum\")"));
  CHECK_THAT(refused({x, rois, i}, {{"height", 0}}), ContainsSubstring("height (0) is not from 1"));
  CHECK_THAT(refused({x, rois, i}, {{"width", 5000}}), ContainsSubstring("width (5000)"));
  CHECK_THAT(refused({x, rois, i}, {{"samples", -1}}), ContainsSubstring("samples (-1)"));
  CHECK_THAT(refused({x, rois, i}, {{"samples", 2000}}), ContainsSubstring("samples (2000)"));
  CHECK_THAT(refused({x, rois, i}, {{"scale", INFINITY}}), ContainsSubstring("is not finite"));
}
