#include <cmath>
#include <cstring>

#include "src/builder/builder_state.h"
#include "tests/kernels/simd/quantized.h"
#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Operands = std::vector<QuantizedCase::Operand>;
using Values = std::span<const MLOperand>;

struct Function {
  BuildReal build;
  std::function<double(double)> f;
};

}  // namespace

TEST_CASE("int8 functions of one operand", "[quantized]") {
  std::uint64_t seed = 500;
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  const Function functions[] = {
      {[](auto& b, Values v) { return b.sigmoid(v[0]); }, sigmoid},
      {[](auto& b, Values v) { return b.tanh(v[0]); }, [](double v) { return std::tanh(v); }},
      {[](auto& b, Values v) { return b.relu(v[0]); }, [](double v) { return std::max(0.0, v); }},
      {[](auto& b, Values v) { return b.clamp(v[0], {.minValue = -1, .maxValue = 2}); },
       [](double v) { return std::min(std::max(v, -1.0), 2.0); }},
      {[](auto& b, Values v) { return b.leakyRelu(v[0], {.alpha = 0.25}); },
       [](double v) { return v < 0 ? 0.25 * v : v; }},
      {[](auto& b, Values v) { return b.hardSwish(v[0]); },
       [](double v) { return v * std::min(std::max(v + 3, 0.0), 6.0) / 6; }},
      {[](auto& b, Values v) { return b.neg(b.exp(b.reshape(v[0], v[0].shape()))); },
       [](double v) { return -std::exp(v); }},
      {[](auto& b, Values v) { return b.mul(v[0], b.constant(float32, 0.75)); },
       [](double v) { return 0.75 * v; }},
      {[](auto&, Values v) { return v[0]; }, [](double v) { return v; }},
  };
  for (const Function& f : functions)
    for (const Dims& shape : {Dims{3}, {1, 5, 7, 3}, {1000}})
      for (const auto type : {int8, uint8})
        for (const auto result : {int8, uint8}) {
          QuantizedCase c(++seed);
          const Operands x{c.operand(type, shape, 0.04, type == int8 ? -20 : 100, false)};
          check_quantized(
              x, f.build, {result, 0.015, result == int8 ? 5.0 : 130.0},
              [&](const Dims& at) { return f.f(x[0].at(at)); }, "simd int8 lookup table");
        }
}

TEST_CASE("int8 add, sub and mul", "[quantized]") {
  std::uint64_t seed = 600;
  const std::pair<Dims, Dims> shapes[] = {{{1, 6, 5, 33}, {1, 6, 5, 33}},
                                          {{70}, {70}},
                                          {{4, 40}, {40}},
                                          {{4, 40}, {4, 1}},
                                          {{1}, {130}},
                                          {{2, 3, 1, 20}, {2, 3, 9, 20}}};
  for (const auto& [a, z] : shapes)
    for (int types = 0; types < 8; ++types) {
      QuantizedCase c(++seed);
      const auto first = types & 1 ? int8 : uint8, second = types & 2 ? int8 : uint8,
                 result = types & 4 ? int8 : uint8;
      const Operands x{c.operand(first, a, 0.03, first == int8 ? 11 : 128, false),
                       c.operand(second, z, 0.017, second == int8 ? -128 : 0, types == 5)};
      const auto at = [&](std::size_t i, const Dims& place) {
        const Dims& shape = x[i].integers.shape;
        Dims own(place.end() - static_cast<std::ptrdiff_t>(shape.size()), place.end());
        for (std::size_t d = 0; d < own.size(); ++d) own[d] = shape[d] == 1 ? 0 : own[d];
        return x[i].at(own);
      };
      const QuantizedResult y{result, 0.04, result == int8 ? -9.0 : 120.0};
      check_quantized(
          x, [](auto& b, Values v) { return b.add(v[0], v[1]); }, y,
          [&](const Dims& p) { return at(0, p) + at(1, p); }, "simd int8 add");
      check_quantized(
          x, [](auto& b, Values v) { return b.relu(b.sub(v[0], v[1])); }, y,
          [&](const Dims& p) { return std::max(0.0, at(0, p) - at(1, p)); }, "simd int8 sub");
      check_quantized(
          x, [](auto& b, Values v) { return b.mul(v[0], v[1]); }, y,
          [&](const Dims& p) { return at(0, p) * at(1, p); }, "simd int8 mul");
    }
}

TEST_CASE("int8 add of an operand to itself", "[quantized]") {
  QuantizedCase c(650);
  const Operands x{c.operand(int8, {77}, 0.03, 4, false)};
  check_quantized(
      x, [](auto& b, Values v) { return b.add(v[0], v[0]); }, {int8, 0.05, 1},
      [&](const Dims& at) { return 2 * x[0].at(at); }, "simd int8 lookup table");
}

TEST_CASE("int8 softmax along the last dimension", "[quantized]") {
  std::uint64_t seed = 700;
  for (const auto type : {int8, uint8})
    for (const Dims& shape : {Dims{1, 10}, {5, 3, 130}, {2, 1001}, {2, 64}, {1, 2049}, {3, 1}}) {
      QuantizedCase c(++seed);
      const Operands x{c.operand(type, shape, 0.05, 7, false)};
      const auto axis = static_cast<std::uint32_t>(shape.size()) - 1;
      check_quantized(
          x, [&](auto& b, Values v) { return b.softmax(v[0], axis); },
          {type, 1. / 256, type == int8 ? -128. : 0.},
          [&](const Dims& at) {
            double sum = 0;
            Dims place = at;
            for (place[axis] = 0; place[axis] < shape[axis]; ++place[axis])
              sum += std::exp(x[0].at(place));
            return std::exp(x[0].at(at)) / sum;
          },
          "simd int8 softmax");
    }
}

TEST_CASE("dequantizeLinear and quantizeLinear by themselves: the bits of the reference kernels",
          "[quantized]") {
  const float inf = std::numeric_limits<float>::infinity();
  Random random(800);
  for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
    for (const auto type : {int8, uint8})
      for (const float scale : {0.1f, 1.f, 0.0039f, -2.5f, 0.f, inf, 1e-30f, std::nanf("")}) {
        Tensor reals = random.tensor(float32, {1003}, -300, 300);
        for (std::size_t i = 0; i < 600; ++i)  // halves, of that scale
          reals.as<float>()[i] =
              (static_cast<float>(i) - 300.5f) * (std::abs(scale) < 10 ? scale : 1);
        const float special[] = {inf, -inf, std::nanf(""), 0, -0.f, 3e38f, -3e38f, 1e-40f};
        std::memcpy(reals.as<float>() + 700, special, sizeof special);
        const Tensor integers = random.tensor(type, {1003}, lowest_of(type), highest_of(type));
        const std::vector<Tensor> inputs{reals, integers, filled(float32, {1}, scale),
                                         filled(type, {1}, type == int8 ? -3 : 200)};
        const Build build = [](MLGraphBuilder& b, std::span<const MLOperand> x) {
          return std::vector{b.quantizeLinear(x[0], x[2], x[3]),
                             b.dequantizeLinear(x[1], x[2], x[3])};
        };
        const auto ours = run(build, inputs, {simd, "reference"});
        const auto theirs = run(build, inputs, {"reference"});
        CAPTURE(scale, static_cast<int>(type));
        CHECK((ours[0].bytes == theirs[0].bytes));
        if (scale == scale) CHECK((ours[1].bytes == theirs[1].bytes));
      }
  });
}

namespace {

// hardSwish as TensorFlow Lite's integer kernel defines it, in doubles that are whole numbers:
// fixed point of 16 bits, where a product is doubled, rounded to its upper half and saturated.

double saturated(double v) { return std::min(std::max(v, -32768.), 32767.); }
double upper_product(double a, double b) {
  return saturated(std::floor((a * b + 0x1p14) / 0x1p15));
}
/// Halves go away from zero.
double divided(double v, int exponent) { return std::round(std::ldexp(v, -exponent)); }

struct Multiplier {
  double bits;  // how many of 16
  int exponent;

  explicit Multiplier(double factor) {
    double m = std::round(std::ldexp(std::frexp(factor, &exponent), 31));
    if (m == 0x1p31) m /= 2, ++exponent;
    bits = saturated(std::floor((m + 0x1p15) / 0x1p16));
  }
};

double hard_swish(double distance, float x_scale, float y_scale) {
  const float fine = x_scale / 128;
  const Multiplier output(double{fine / y_scale}), share(double{fine * 32768 / 3});
  const double x = saturated(distance * 128);
  double s = x;
  if (share.exponent > 0) s = saturated(std::ldexp(s, share.exponent - 1));
  s = upper_product(s, share.bits);
  if (share.exponent > 0) s = saturated(2 * s);
  if (share.exponent < 0) s = divided(s, -share.exponent);
  s = std::floor((s + 32768) / 2);
  // Without rounding, toward zero.
  return divided(std::trunc(s * upper_product(x, output.bits) / 0x1p15), -output.exponent);
}

}  // namespace

TEST_CASE("int8 hardSwish: TensorFlow Lite's integers, at the edges of its exponents",
          "[quantized]") {
  // The share of x in 6 has the factor x_scale * 256 / 3, the result x_scale / y_scale / 128.
  std::vector<float> scales;
  for (int exponent = -5; exponent <= 4; ++exponent)
    for (float f : {std::ldexp(3.f / 256, exponent), std::ldexp(1.f / 100, exponent)})
      for (float edge : {std::nextafter(f, 0.f), f}) scales.push_back(edge);
  int fixed = 0, of_tables = 0;
  for (const float x_scale : scales)
    for (const float ratio :
         {1 / 128.f, 1 / 127.f, 1 / 64.f, 1 / 63.f, 0.02f, 0.1f, 0.5f, 1.f, 3.f})
      for (const double zero : {-128., 0., 101.}) {
        const float y_scale = x_scale * ratio;
        Tensor x = filled(int8, {256}, 0);
        for (std::size_t i = 0; i < 256; ++i) x.set(i, static_cast<double>(i) - 128);
        const auto build = [&](MLGraphBuilder& b, std::span<const MLOperand> v) {
          detail::state_of(b)->data.requantization = Requantization::fixedPoint;
          const auto one = [&](MLOperandDataType type, double value) {
            const Tensor t = filled(type, {1}, value);
            return b.constant(t.descriptor(), t.bytes);
          };
          const MLOperand real =
              b.dequantizeLinear(v[0], one(float32, double{x_scale}), one(int8, zero));
          return b.quantizeLinear(b.hardSwish(real), one(float32, double{y_scale}), one(int8, 3));
        };
        const Tensor ours = run(Build(build), std::vector{x}, {"simd", "reference"}).front();
        const Tensor floats = run(Build(build), std::vector{x}, {"reference"}).front();
        // A unit far below that of x, or results that part by more than one: the table of floats.
        bool known = Multiplier(double{x_scale / 128 / y_scale}).exponent <= 0;
        std::vector<double> expected;
        for (std::size_t i = 0; i < 256; ++i) {
          const double y = hard_swish(x[i] - zero, x_scale, y_scale) + 3;
          expected.push_back(std::min(std::max(y, -128.), 127.));
          known &= std::abs(expected[i] - floats[i]) <= 1;
        }
        ++(known ? fixed : of_tables);
        CAPTURE(x_scale, y_scale, zero, known);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < 256; ++i) wrong += ours[i] != (known ? expected[i] : floats[i]);
        CHECK(wrong == 0);
      }
  CHECK(fixed > 300);
  CHECK(of_tables > 30);
}

TEST_CASE("int8 functions: scales from 1e-12 to 1e12", "[quantized]") {
  const auto explained = [](float x_scale, float y_scale) {
    MLContext context({.threads = 1, .backends = {"simd", "reference"}});
    MLGraphBuilder b(context);
    const MLOperand zero = b.constant({int8, {1}}, std::vector<std::int8_t>{0});
    const MLOperand x =
        b.dequantizeLinear(b.input("x", {int8, {9}}), b.constant({float32, {1}}, {x_scale}), zero);
    return b
        .build({{"y", b.quantizeLinear(b.relu(x), b.constant({float32, {1}}, {y_scale}), zero)}})
        .explain();
  };
  const auto taken = [&](float x, float y) {
    return explained(x, y).find("simd int8 lookup table") != std::string::npos;
  };
  CHECK(taken(1e-12f, 1e-12f));
  CHECK(taken(1e12f, 1e12f));
  CHECK_FALSE(taken(std::nextafter(1e-12f, 0.f), 1e-12f));
  CHECK_FALSE(taken(std::nextafter(1e12f, 1e13f), 1e12f));
  CHECK_FALSE(taken(1e-12f, std::nextafter(1e-12f, 0.f)));
  CHECK_FALSE(taken(1e12f, std::nextafter(1e12f, 1e13f)));
  CHECK(explained(1e13f, 1e12f).find("out of range") != std::string::npos);
}
