#include <cmath>
#include <limits>

#include "tests/ops/blockwise.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build quantize = [](auto& b, auto x) { return b.quantizeLinear(x[0], x[1], x[2]); };

/// Ties to even, by hand.
double round_even(double v) {
  const double down = std::floor(v), part = v - down;
  const bool up = part > 0.5 || (part == 0.5 && std::fmod(down, 2) != 0);
  return up ? down + 1 : down;
}

/// Rounded to float32, unless integers of 32 bits are made of it.
double quotient(double x, double scale, MLOperandDataType result) {
  if (bits_of(result) == 32) return x / scale;
  return double{static_cast<float>(x) / static_cast<float>(scale)};
}

void check_quantize(Random& random, MLOperandDataType type, MLOperandDataType zero_type,
                    const Blocks& s, double low = -300, double high = 300) {
  const Tensor x = random.tensor(type, s.large, low, high);
  const Tensor zero = random.tensor(zero_type, s.small, -100, 200);
  const Tensor scale = random.tensor(type, s.small, 0.5, 2);
  const Tensor y = generated(zero_type, s.large, [&](const Dims& at) {
    const Dims block = block_of(at, s.small, s.large);
    const double exact = quotient(x.at(at), scale.at(block), zero_type);
    if (is_float(zero_type))  // which is rounded to the nearest number, not to an integer
      return double{static_cast<float>(exact) + static_cast<float>(zero.at(block))};
    const double v = round_even(exact) + zero.at(block);
    return std::min(std::max(v, lowest_of(zero_type)), highest_of(zero_type));
  });
  check({quantize, {x, scale, zero}, {y}, tolerance_of("quantizeLinear", zero_type)});
}

TEST_CASE("quantizeLinear: known results", "[quantizeLinear]") {
  for_each_type(types::floats, [&](MLOperandDataType type) {
    check({quantize,
           {tensor(type, {6}, {-2.5, -1.5, 0.5, 1.5, 2.5, 300}), filled(type, {1}, 1),
            filled(uint8, {1}, 1)},
           {tensor(uint8, {6}, {0, 0, 1, 3, 3, 255})}});
    // Ties in both directions, without saturation.
    check({quantize,
           {tensor(type, {7}, {-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5}), filled(type, {1}, 1),
            filled(int8, {1}, 3)},
           {tensor(int8, {7}, {-1, 1, 1, 3, 3, 5, 5})}});
  });
}

TEST_CASE("quantizeLinear: blocks of any shape, every data type", "[quantizeLinear]") {
  Random random(231);
  for_each_type(types::floats, [&](MLOperandDataType type) {
    for_each_type(types::quantized, [&](MLOperandDataType zero) {
      for (std::size_t rank = 0; rank <= 5; ++rank)
        for (int i = 0; i < 3; ++i) check_quantize(random, type, zero, random_blocks(random, rank));
    });
  });
}

TEST_CASE("quantizeLinear: the limits of every data type", "[quantizeLinear]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for_each_type(types::quantized, [&](MLOperandDataType zero) {
    const double low = lowest_of(zero), high = highest_of(zero);
    const double of_nan = is_float(zero) ? nan : 3;
    for_each_type(types::floats, [&](MLOperandDataType type) {
      check({quantize,
             {tensor(type, {5}, {inf, -inf, nan, 0.0, -0.0}), filled(type, {1}, 0.5),
              filled(zero, {1}, 3)},
             {tensor(zero, {5}, {high, low, of_nan, 3, 3})}});
      // A scale of zero: the quotients are infinite or NaN.
      check({quantize,
             {tensor(type, {3}, {2, -2, 0}), filled(type, {1}, 0), filled(zero, {1}, 3)},
             {tensor(zero, {3}, {high, low, of_nan})}});
    });
    check({quantize,
           {tensor(float32, {2}, {3e38, -3e38}), filled(float32, {1}, 1e-45), filled(zero, {1}, 0)},
           {tensor(zero, {2}, {high, low})}});
  });
}

TEST_CASE("quantizeLinear: to float8e4m3: ties, subnormal numbers, saturation, a zero point",
          "[quantizeLinear]") {
  const auto is = [](const std::vector<double>& x, double scale, double zero,
                     const std::vector<double>& y) {
    const auto n = static_cast<std::uint32_t>(x.size());
    for_each_type(types::floats, [&](MLOperandDataType type) {
      check({quantize,
             {tensor(type, {n}, x), filled(type, {1}, scale), filled(float8e4m3, {1}, zero)},
             {tensor(float8e4m3, {n}, y)}});
    });
  };
  is({17, 19, -17, 34, 464, 480, -1000}, 1, 0, {16, 20, -16, 32, 448, 448, -448});
  is({0x1p-10, 0x1.8p-10, 0x1p-9, 0x1.8p-9, 0x1.cp-7, 0x1.ep-7}, 1, 0,
     {0, 0x1p-9, 0x1p-9, 0x1p-8, 0x1.cp-7, 0x1p-6});
  is({1, 2, 3}, 0.25, 4, {8, 12, 16});
  is({-0.0, 0.0}, 2, 0, {-0.0, 0});
}

TEST_CASE("quantizeLinear: quotients of 8 bits are rounded to float32", "[quantizeLinear]") {
  // In float32 halves of the scale are halfway between integers.
  std::vector<double> values, expected;
  bool differs = false;
  for (int i = -200; i <= 200; ++i) {
    const float x = static_cast<float>(i) * 0.05f;
    values.push_back(double{x});
    expected.push_back(round_even(quotient(double{x}, double{0.1f}, int8)));
    differs |= expected.back() != round_even(double{x} / double{0.1f});
  }
  REQUIRE(differs);
  const auto n = static_cast<std::uint32_t>(values.size());
  check({quantize,
         {tensor(float32, {n}, values), filled(float32, {1}, double{0.1f}), filled(int8, {1}, 0)},
         {tensor(int8, {n}, expected)}});
}

TEST_CASE("quantizeLinear: large quotients lose nothing", "[quantizeLinear]") {
  check({quantize,
         {tensor(float32, {2}, {16777216, -16777216}), filled(float32, {1}, 0.0078125),
          filled(int32, {1}, 1)},
         {tensor(int32, {2}, {INT32_MAX, -2147483647.0})}});
  check({quantize,
         {tensor(float32, {2}, {16777216, 33554432}), filled(float32, {1}, 0.0078125),
          filled(uint32, {1}, 7)},
         {tensor(uint32, {2}, {2147483655.0, 4294967295.0})}});
}

TEST_CASE("quantizeLinear: in many tiles; one scale, by channel, by row, in blocks of 32",
          "[quantizeLinear]") {
  Random random(232);
  const Dims large{64, 4096};
  for (const Dims& small : {Dims{1, 1}, Dims{64, 1}, Dims{1, 4096}, Dims{64, 128}, large})
    check_quantize(random, float32, uint8, {small, large});
}

TEST_CASE("quantizeLinear: roundEven, clamp and cast of the quotient", "[quantizeLinear]") {
  Random random(233);
  check_same(
      quantize,
      [](auto& b, auto x) {
        const MLOperand q = b.roundEven(b.div(x[0], x[1]));
        return b.cast(b.clamp(b.add(q, b.cast(x[2], float32)), {.minValue = 0, .maxValue = 255}),
                      uint8);
      },
      {random.tensor(float32, {5, 70}, -300, 300), random.tensor(float32, {5, 1}, 0.5, 2),
       random.tensor(uint8, {5, 1}, 0, 255)},
      tolerance_of("quantizeLinear", uint8));
}

}  // namespace
