#include <cmath>
#include <limits>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using enum MLInterpolationMode;

/// By the contract, in long double: ties are exact for these sizes.
long double coordinate(std::uint32_t o, std::uint32_t in, std::uint32_t out) {
  const long double c = (o + 0.5L) * in / out - 0.5L;
  return std::min(std::max(c, 0.0L), in - 1.0L);
}

Tensor resampled(const Tensor& x, MLInterpolationMode mode, const Dims& axes, const Dims& shape) {
  return generated(x.type, shape, [&](Dims at) {
    long double c[2];
    for (int k : {0, 1}) c[k] = coordinate(at[axes[k]], x.shape[axes[k]], shape[axes[k]]);
    if (mode == nearest_neighbor) {
      for (int k : {0, 1}) at[axes[k]] = static_cast<std::uint32_t>(std::ceil(c[k] - 0.5L));
      return x.at(at);
    }
    long double sum = 0;
    for (int corner = 0; corner < 4; ++corner) {
      long double weight = 1;
      for (int k : {0, 1}) {
        const long double low = std::floor(c[k]), t = c[k] - low;
        const bool high = corner >> k & 1;
        at[axes[k]] = static_cast<std::uint32_t>(high ? std::ceil(c[k]) : low);
        weight *= high ? t : 1 - t;
      }
      if (weight > 0) sum += weight * x.at(at);
    }
    if (!is_float(x.type)) sum = std::nearbyint(sum);
    return static_cast<double>(sum);
  });
}

Tolerance tolerance(MLInterpolationMode mode, MLOperandDataType type) {
  return tolerance_of(mode == linear ? "resample2d linear" : "resample2d nearest-neighbor", type);
}

void check_resampled(Random& random, MLOperandDataType type, const Dims& in, const Dims& axes,
                     const Dims& sizes) {
  Dims shape = in;
  for (std::size_t k : {0, 1}) shape[axes[k]] = sizes[k];
  // All have one sign: kernels compute in float32, where results near zero would be differences of
  // larger numbers.
  const bool negative = random.integer(0, 1) == 1;
  const Tensor x = random.tensor(type, in, negative ? -1000 : 1, negative ? -1 : 1000);
  for (MLInterpolationMode mode : {nearest_neighbor, linear})
    check({[=](auto& b, auto y) {
             return b.resample2d(y[0], {.mode = mode, .sizes = sizes, .axes = axes});
           },
           {x},
           {resampled(x, mode, axes, shape)},
           tolerance(mode, type)});
}

}  // namespace

TEST_CASE("resample2d: known results", "[resample2d]") {
  const auto known = [](MLInterpolationMode mode, const Dims& in, const std::vector<double>& x,
                        const Dims& sizes, const std::vector<double>& y) {
    for_each_type(types::floats, [&](MLOperandDataType type) {
      check({[=](auto& b, auto operands) {
               return b.resample2d(operands[0], {.mode = mode, .sizes = sizes});
             },
             {tensor(type, in, x)},
             {tensor(type, {1, 1, sizes[0], sizes[1]}, y)},
             tolerance(mode, type)});
    });
  };
  known(linear, {1, 1, 2, 2}, {1, 2, 3, 4}, {3, 4},
        {1, 1.25, 1.75, 2, 2, 2.25, 2.75, 3, 3, 3.25, 3.75, 4});
  known(nearest_neighbor, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}, {3, 5},
        {1, 1, 2, 3, 3, 1, 1, 2, 3, 3, 4, 4, 5, 6, 6});
  std::vector<double> counted(16);
  for (std::size_t i = 0; i < 16; ++i) counted[i] = static_cast<double>(i + 1);
  known(nearest_neighbor, {1, 1, 4, 4}, counted, {2, 2}, {1, 3, 9, 11});
  known(linear, {1, 1, 4, 4}, counted, {2, 2}, {3.5, 5.5, 11.5, 13.5});
}

TEST_CASE("resample2d: any two axes in any order, every data type, up and down", "[resample2d]") {
  Random random(321);
  for_each_type(types::resampled, [&](MLOperandDataType type) {
    for (std::uint32_t a = 0; a < 4; ++a)
      for (std::uint32_t b = 0; b < 4; ++b)
        if (a != b)
          for (int i = 0; i < 3; ++i)
            check_resampled(random, type, random.shape(4, 5), {a, b},
                            {random.integer(1, 9), random.integer(1, 9)});
  });
}

TEST_CASE("resample2d: ties are rounded down at every ratio", "[resample2d]") {
  Random random(322);
  for (std::uint32_t in = 1; in <= 12; ++in)
    for (std::uint32_t out = 1; out <= 12; ++out)
      check_resampled(random, float32, {1, 1, in, 13 - in}, {2, 3}, {out, 13 - out});
}

TEST_CASE("resample2d: the result's sizes count, not the scales they came from", "[resample2d]") {
  Random random(323);
  const Tensor x = random.tensor(float32, {1, 2, 10, 7});
  const std::vector<float> scales{0.7f, 1.3f};  // 6.99... and 9.09...
  for (MLInterpolationMode mode : {nearest_neighbor, linear})
    check({[=](auto& b, auto in) { return b.resample2d(in[0], {.mode = mode, .scales = scales}); },
           {x},
           {resampled(x, mode, {2, 3}, {1, 2, 6, 9})},
           tolerance(mode, float32)});
}

TEST_CASE("resample2d: the limits of integers", "[resample2d]") {
  check({[](auto& b, auto x) {
           return b.resample2d(x[0], {.mode = linear, .sizes = {1, 3}});
         },
         {integers(int8, {1, 1, 1, 2}, {-128, 127})},
         {integers(int8, {1, 1, 1, 3}, {-128, 0, 127})},  // -0.5: to even
         tolerance(linear, int8)});
  for (MLOperandDataType type : {int8, uint8})
    check({[](auto& b, auto x) {
             return b.resample2d(x[0], {.mode = linear, .sizes = {3, 5}});
           },
           {filled(type, {1, 1, 2, 2}, highest_of(type))},
           {filled(type, {1, 1, 3, 5}, highest_of(type))}});
}

TEST_CASE("resample2d: an infinite element affects only its neighborhood", "[resample2d]") {
  const double inf = std::numeric_limits<double>::infinity();
  for_each_type(types::floats, [&](MLOperandDataType type) {
    check({[](auto& b, auto x) {
             return b.resample2d(x[0], {.mode = linear, .sizes = {1, 6}});
           },
           {tensor(type, {1, 1, 1, 3}, {inf, 2, 4})},
           {tensor(type, {1, 1, 1, 6}, {inf, inf, inf, 2.5, 3.5, 4})}});
    check({[](auto& b, auto x) { return b.resample2d(x[0], {.mode = linear}); },
           {tensor(type, {1, 1, 2, 2}, {inf, -inf, 2, 4})},
           {tensor(type, {1, 1, 2, 2}, {inf, -inf, 2, 4})}});
  });
}

TEST_CASE("resample2d: in many tiles, by pixels and by runs of channels", "[resample2d]") {
  Random random(324);
  check_resampled(random, float32, {2, 3, 40, 50}, {2, 3}, {83, 97});
  check_resampled(random, float32, {2, 40, 50, 5}, {1, 2}, {83, 37});
  check_resampled(random, uint8, {5, 40, 7, 50}, {1, 3}, {23, 97});
}

TEST_CASE("resample2d: an axis too long for a table", "[resample2d]") {
  Random random(325);
  check_resampled(random, uint8, {1, 1, 1, 3}, {2, 3}, {1, 70001});
  check_resampled(random, uint8, {1, 1, 70001, 1}, {3, 2}, {2, 66001});
}
