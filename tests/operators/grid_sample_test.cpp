// webnn.GridSample against its definition, in double.
#include <cmath>
#include <limits>

#include "tests/operators/run_operator.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Sampler {
  const Tensor& x;
  std::string mode, padding;
  bool corners;

  /// A place that moves back and forth between two ends.
  static double reflected(double v, double low, double high) {
    if (high <= low) return 0;
    const double range = high - low;
    double rest = std::fmod(std::abs(v - low), 2 * range);
    if (rest > range) rest = 2 * range - rest;
    return low + rest;
  }
  double low() const { return corners ? 0 : -0.5; }
  double high(double size) const { return corners ? size - 1 : size - 0.5; }
  double place(double v, double size) const {
    return corners ? (v + 1) / 2 * (size - 1) : ((v + 1) * size - 1) / 2;
  }
  double padded(double v, double size) const {
    if (v >= low() && v <= high(size)) return v;
    if (padding == "border") return std::clamp(v, 0.0, size - 1);
    return padding == "reflection" ? reflected(v, low(), high(size)) : v;
  }
  double element(std::uint32_t n, std::uint32_t c, double row, double column) const {
    const double height = x.shape[2], width = x.shape[3];
    const auto outside = [](double i, double size) { return i < 0 || i > size - 1; };
    if (padding == "zeros" && (outside(row, height) || outside(column, width))) return 0;
    const auto moved = [&](double i, double size) {
      if (padding == "reflection") i = std::nearbyint(reflected(i, low(), high(size)));
      return static_cast<std::uint32_t>(std::clamp(i, 0.0, size - 1));
    };
    return x.at({n, c, moved(row, height), moved(column, width)});
  }
  static double cubic(double d) {
    const double a = -0.75;
    d = std::abs(d);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
  }
  double operator()(std::uint32_t n, std::uint32_t c, double gx, double gy) const {
    const double height = x.shape[2], width = x.shape[3];
    double column = place(gx, width), row = place(gy, height);
    if (mode == "nearest") column = std::nearbyint(column), row = std::nearbyint(row);
    column = padded(column, width), row = padded(row, height);
    if (mode == "nearest") return element(n, c, std::nearbyint(row), std::nearbyint(column));
    const double left = std::floor(column), top = std::floor(row);
    const int reach = mode == "cubic" ? 2 : 1;
    double sum = 0;
    for (int j = 1 - reach; j <= reach; ++j)
      for (int i = 1 - reach; i <= reach; ++i) {
        const double dy = row - (top + j), dx = column - (left + i);
        const double weight =
            mode == "cubic" ? cubic(dy) * cubic(dx) : (1 - std::abs(dy)) * (1 - std::abs(dx));
        sum += weight * element(n, c, top + j, left + i);
      }
    return sum;
  }
};

/// Quarters, most of them within the image: places that are halves in nearest are exact.
Tensor grid_of(Random& random, MLOperandDataType type, const Dims& shape) {
  Tensor t = filled(type, shape, 0);
  for (std::size_t i = 0; i < t.size(); ++i)
    t.set(i, (static_cast<double>(random.integer(0, 60)) - 30) / 16);
  return t;
}

void check(const Tensor& x, const Tensor& grid, const std::string& mode, const std::string& padding,
           bool corners, double tolerance) {
  CAPTURE(mode, padding, corners, x.shape);
  const Tensor y = run_operator(operators::grid_sample(), {x, grid},
                                {{"mode", mode}, {"padding", padding}, {"alignCorners", corners}})
                       .front();
  CHECK(y.shape == Dims{x.shape[0], x.shape[1], grid.shape[1], grid.shape[2]});
  const Sampler expected{x, mode, padding, corners};
  for_each_place(y.shape, [&](const Dims& p) {
    const double gx = grid.at({p[0], p[2], p[3], 0}), gy = grid.at({p[0], p[2], p[3], 1});
    REQUIRE(std::abs(y.at(p) - expected(p[0], p[1], gx, gy)) <= tolerance);
  });
}

}  // namespace

TEST_CASE("GridSample: every mode, padding and alignment") {
  Random random(1);
  for (const Dims& shape : {Dims{2, 3, 8, 4}, Dims{1, 2, 1, 2}, Dims{1, 1, 16, 16}})
    for (const char* mode : {"linear", "nearest", "cubic"})
      for (const char* padding : {"zeros", "border", "reflection"})
        for (const bool corners : {false, true}) {
          // With these sizes and aligned edges, places are exact in float.
          if (corners && std::string_view(mode) == "nearest") continue;
          check(random.tensor(float32, shape), grid_of(random, float32, {shape[0], 5, 7, 2}), mode,
                padding, corners, 2e-5);
        }
}

TEST_CASE("GridSample: three dimensions") {
  Random random(4);
  const Dims shape{2, 2, 4, 8, 2};
  const Tensor x = random.tensor(float32, shape);
  std::vector<Tensor> slices(shape[2],
                             filled(float32, {shape[0], shape[1], shape[3], shape[4]}, 0));
  for_each_place(shape, [&](const Dims& p) {
    Tensor& slice = slices[p[2]];
    slice.set(((std::size_t{p[0]} * shape[1] + p[1]) * shape[3] + p[3]) * shape[4] + p[4], x.at(p));
  });
  const Tensor grid = grid_of(random, float32, {2, 3, 5, 4, 3});
  for (const char* mode : {"linear", "nearest"})
    for (const char* padding : {"zeros", "border", "reflection"})
      for (const bool corners : {false, true}) {
        if (corners && std::string_view(mode) == "nearest") continue;
        CAPTURE(mode, padding, corners);
        const Tensor y =
            run_operator(operators::grid_sample(), {x, grid},
                         {{"mode", mode}, {"padding", padding}, {"alignCorners", corners}})
                .front();
        CHECK(y.shape == Dims{2, 2, 3, 5, 4});
        const double depth = shape[2];
        for_each_place(y.shape, [&](const Dims& p) {
          const auto g = [&](std::uint32_t i) { return grid.at({p[0], p[2], p[3], p[4], i}); };
          const Sampler any{slices[0], mode, padding, corners};
          const bool nearest = any.mode == "nearest";
          double z = any.place(g(2), depth);
          if (nearest) z = std::nearbyint(z);
          z = any.padded(z, depth);
          const double first = nearest ? std::nearbyint(z) : std::floor(z);
          double expected = 0;
          for (int k = 0; k < (nearest ? 1 : 2); ++k) {
            double at = first + k;
            const double weight = nearest ? 1 : 1 - std::abs(z - at);
            const bool outside = at < 0 || at > depth - 1;
            if (outside && any.padding == "zeros") continue;
            if (outside && any.padding == "reflection")
              at = std::nearbyint(Sampler::reflected(at, any.low(), any.high(depth)));
            const auto slice = static_cast<std::size_t>(std::clamp(at, 0.0, depth - 1));
            expected +=
                weight * Sampler{slices[slice], mode, padding, corners}(p[0], p[1], g(0), g(1));
          }
          REQUIRE(std::abs(y.at(p) - expected) <= 2e-5);
        });
      }
}

TEST_CASE("GridSample: nearest with aligned corners, between the elements") {
  Random random(2);
  const Dims shape{1, 2, 5, 9};  // size - 1 is a power of 2: places are exact
  for (const char* padding : {"zeros", "border", "reflection"})
    check(random.tensor(float32, shape), grid_of(random, float32, {1, 6, 6, 2}), "nearest", padding,
          true, 0);
}

TEST_CASE("GridSample: float16 and bfloat16") {
  Random random(3);
  for (const MLOperandDataType grid : {bfloat16, float32})
    check(random.tensor(bfloat16, {1, 2, 8, 8}), grid_of(random, grid, {1, 4, 4, 2}), "linear",
          "border", false, 3e-2);
  for (const MLOperandDataType grid : {float16, float32})
    check(random.tensor(float16, {1, 2, 8, 8}), grid_of(random, grid, {1, 4, 4, 2}), "linear",
          "border", false, 4e-3);
}

TEST_CASE("GridSample: places that are far outside, or no numbers, read no other memory") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  const Tensor x = tensor(float32, {1, 1, 2, 2}, {1, 2, 3, 4});
  const Tensor grid =
      tensor(float32, {1, 1, 4, 2}, {nan, 0, infinite, 0, -infinite, 1e30, 3e38, nan});
  for (const char* mode : {"linear", "nearest", "cubic"})
    for (const char* padding : {"zeros", "border", "reflection"}) {
      const Tensor y =
          run_operator(operators::grid_sample(), {x, grid}, {{"mode", mode}, {"padding", padding}})
              .front();
      for (std::size_t i = 0; i < y.size(); ++i) {
        CHECK(std::abs(y[i]) < 100);
        if (std::string_view(padding) == "zeros") CHECK(y[i] == 0);
      }
    }
}

TEST_CASE("GridSample: what it refuses") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  auto in = [&, n = 0](MLOperandDataType type, Dims shape) mutable {
    return b.input("i" + std::to_string(n++), {type, std::move(shape)});
  };
  const auto refused = [&](std::vector<MLOperand> operands, CustomAttributes attributes = {}) {
    return thrown([&] { b.custom("webnn.GridSample", operands, {.attributes = attributes}); });
  };
  const MLOperand x = in(float32, {2, 3, 4, 5}), grid = in(float32, {2, 6, 7, 2});
  CHECK(refused({x, grid}) == "nothing");
  CHECK_THAT(refused({x}), ContainsSubstring("it has 1 operands"));
  CHECK_THAT(refused({in(int32, {2, 3, 4, 5}), grid}), ContainsSubstring("its image is int32"));
  CHECK_THAT(refused({x, in(int32, {2, 6, 7, 2})}), ContainsSubstring("its grid is int32"));
  CHECK_THAT(refused({in(float32, {2, 3, 4}), grid}), ContainsSubstring("is 3, not 4"));
  CHECK_THAT(refused({x, in(float32, {1, 6, 7, 2})}), ContainsSubstring("is not [2, height"));
  CHECK_THAT(refused({x, in(float32, {2, 6, 7, 3})}), ContainsSubstring("its grid of shape"));
  CHECK_THAT(refused({x, grid}, {{"mode", "area"}}),
             ContainsSubstring("mode (\"area\") is not one of nearest, linear, cubic"));
  CHECK_THAT(refused({x, grid}, {{"padding", "wrap"}}), ContainsSubstring("padding (\"wrap\")"));
  CHECK_THAT(refused({in(float32, {2, 1, 1, 8388609}), grid}), ContainsSubstring("8388608"));
}
