// Quantization of a tensor by its own range, written out in operators, beside floats that are
// rounded one by one.
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/kernels/simd/quantized.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::test;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity(),
                not_a_number = std::numeric_limits<float>::quiet_NaN();

struct Form {
  bool exact = false;    // quantizeLinear
  bool guarded = true;   // a scale of 1 where the range is 0
  bool reshaped = true;  // scale and zero point have the rank of x
};

struct Parts {
  MLOperand y, scale, zero, low;
};
Parts quantization(MLGraphBuilder& b, const MLOperand& x, const Form& f) {
  const auto number = [&](double v) { return b.constant(float32, v); };
  const MLOperand high = b.max(b.reduceMax(x), number(0)), low = b.min(number(0), b.reduceMin(x));
  const MLOperand range = b.sub(high, low);
  MLOperand scale = b.div(range, number(255));
  if (f.guarded) scale = b.where(b.equal(range, number(0)), number(1), scale);
  const MLOperand place = b.roundEven(b.neg(b.div(low, scale)));
  const MLOperand zero = b.cast(b.clamp(place, {.minValue = 0, .maxValue = 255}), uint8);
  const Dims ones(x.rank(), 1);
  const auto shaped = [&](const MLOperand& v) { return f.reshaped ? b.reshape(v, ones) : v; };
  if (f.exact)
    return {b.quantizeLinear(x, b.reshape(scale, ones), b.reshape(zero, ones)), scale, zero, low};
  const MLOperand sum = b.add(b.roundEven(b.div(x, shaped(scale))), b.cast(shaped(zero), float32));
  return {b.cast(b.clamp(sum, {.minValue = 0, .maxValue = 255}), uint8), scale, zero, low};
}

struct Quantized {
  std::vector<std::uint8_t> y;
  std::vector<float> scale, doubled;
  std::vector<std::uint8_t> zero;
  std::string explained{};

  bool same(const Quantized& o) const {
    const auto equal = [](float a, float b) { return a == b || (a != a && b != b); };
    return y == o.y && zero == o.zero && equal(scale[0], o.scale[0]) &&
           equal(doubled[0], o.doubled[0]);
  }
};
Quantized run(std::vector<BackendChoice> backends, int threads, const std::vector<float>& x,
              const Form& f) {
  MLContext context({.threads = threads, .backends = std::move(backends)});
  MLGraphBuilder b(context);
  const auto n = static_cast<std::uint32_t>(x.size());
  const Parts p = quantization(b, b.input("x", {float32, {n, 1}}), f);
  const MLGraph graph = b.build(
      {{"y", p.y}, {"scale", p.scale}, {"zero", p.zero}, {"doubled", b.add(p.scale, p.scale)}});
  Quantized r{std::vector<std::uint8_t>(n), std::vector<float>(1), std::vector<float>(1),
              std::vector<std::uint8_t>(1), graph.explain()};
  context.compute(graph, {{"x", x}},
                  {{"y", r.y}, {"scale", r.scale}, {"zero", r.zero}, {"doubled", r.doubled}});
  return r;
}

/// For numbers that are finite, and so are the differences of them.
Quantized oracle(const std::vector<float>& x, const Form& f) {
  double low = 0, high = 0;
  for (const float v : x) {
    low = std::min(low, static_cast<double>(v));
    high = std::max(high, static_cast<double>(v));
  }
  // The difference of two floats and the quotient of that are rounded once each.
  const auto range = static_cast<float>(high - low);
  const float scale =
      range == 0 && f.guarded ? 1 : static_cast<float>(static_cast<double>(range) / 255);
  const auto zero = std::nearbyint(static_cast<double>(static_cast<float>(-low / scale)));
  Quantized r{{}, {scale}, {2 * scale}, {static_cast<std::uint8_t>(std::min(zero, 255.))}};
  for (const float v : x) {
    const auto q = static_cast<double>(v / scale);
    r.y.push_back(
        static_cast<std::uint8_t>(std::min(std::max(std::nearbyint(q) + r.zero[0], 0.), 255.)));
  }
  return r;
}

std::vector<float> numbers(std::uint64_t seed, std::size_t n, double low, double high) {
  Random random(seed);
  const Tensor t = random.tensor(float32, {static_cast<std::uint32_t>(n)}, low, high);
  std::vector<float> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(static_cast<float>(t[i]));
  return all;
}

const Form forms[] = {{}, {.reshaped = false}, {.guarded = false}, {.exact = true}};

}  // namespace

TEST_CASE("dynamic quantization: sizes and ranges", "[quantized]") {
  std::vector<std::vector<float>> cases{{0, 0, 0}, {1}, {-1}, {0.5f, 1.5f, 2.5f, 255}};
  for (const std::size_t n : {5u, 64u, 1000u, 4097u, 70000u})
    for (const auto& [low, high] : {std::pair(-3., 5.), {2., 3.}, {-7., -6.}, {-1e-38, 1e-38}})
      cases.push_back(numbers(n, n, low, high));
  // Quotients near the middle of two integers.
  std::vector<float> ties;
  for (int i = 0; i < 4000; ++i)
    ties.push_back(std::nextafter(0.25f * static_cast<float>(i), i % 3 == 0 ? -inf : inf));
  ties.push_back(1000);
  cases.push_back(ties);
  for (const Form& f : forms)
    for (const std::vector<float>& x : cases) {
      if (!f.guarded && std::count(x.begin(), x.end(), 0.f) == 3) continue;
      CAPTURE(x.size(), x[0], f.exact, f.guarded, f.reshaped);
      const Quantized expected = oracle(x, f);
      for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
        for (const int threads : {1, 2, 8}) {
          const Quantized r = run({simd, "reference"}, threads, x, f);
          INFO(r.explained);
          REQUIRE(r.explained.find("simd dynamic quantization") != std::string::npos);
          REQUIRE(r.same(expected));
        }
      });
      REQUIRE(run({"reference"}, 1, x, f).same(expected));
    }
}

TEST_CASE("dynamic quantization: NaN, infinities and ranges that overflow", "[quantized]") {
  const float most = std::numeric_limits<float>::max();
  for (const Form& f : forms)
    for (const std::vector<float>& some : {std::vector<float>{not_a_number, 1, 2},
                                           {1, inf, -3},
                                           {1, -inf, -3},
                                           {inf, -inf, 0},
                                           {most, -most, 1},
                                           {-0.f, 0.f},
                                           {1e-45f, 0}})
      for (const std::size_t n : {some.size(), std::size_t{50000}}) {
        std::vector<float> x = some;
        x.insert(x.begin(), n - some.size(), 0.25f);
        CAPTURE(n, some[0], f.exact, f.guarded);
        const Quantized expected = run({"reference"}, 1, x, f);
        CHECK(expected.explained.find("dynamic quantization") == std::string::npos);
        for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
          const Quantized r = run({simd, "reference"}, 2, x, f);
          REQUIRE(r.explained.find("simd dynamic quantization") != std::string::npos);
          REQUIRE(r.same(expected));
        });
      }
}

TEST_CASE("dynamic quantization: other forms, and what others read, run by themselves",
          "[quantized]") {
  const auto explained =
      [](const std::function<NamedOperands(MLGraphBuilder&, const MLOperand&)>& f) {
        MLContext context({.threads = 1, .backends = {"simd", "reference"}});
        MLGraphBuilder b(context);
        return b.build(f(b, b.input("x", {float32, {4, 5}}))).explain();
      };
  const std::string kernel = "dynamic quantization";
  CHECK(explained([](MLGraphBuilder& b, const MLOperand& x) {
          return NamedOperands{{"y", quantization(b, x, {}).y}};
        }).find(kernel) != std::string::npos);
  CHECK(explained([](MLGraphBuilder& b, const MLOperand& x) {  // the least element is an output
          const Parts p = quantization(b, x, {});
          return NamedOperands{{"y", p.y}, {"low", p.low}};
        })
            .find(kernel) == std::string::npos);
  CHECK(explained([](MLGraphBuilder& b, const MLOperand& x) {  // of another tensor
          const Parts p = quantization(b, b.mul(x, x), {});
          return NamedOperands{
              {"y", b.quantizeLinear(x, b.reshape(p.scale, {1, 1}), b.reshape(p.zero, {1, 1}))}};
        })
            .find(kernel) == std::string::npos);
}
