// Element-wise operators, alone and in chains.
#include <bit>
#include <cmath>
#include <cstring>

#include "tests/kernels/simd/activations.h"
#include "tests/support/ulp.h"
#include "webnn/float8e4m3.h"

namespace webnn::inline v0_1::test {
namespace {

using B = MLGraphBuilder;
using X = MLOperand;

struct FunctionCase {
  const char* name;
  std::function<X(B&, X)> append;
  std::function<double(double)> value;
  double ulp;
};

double clamp(double v, double lo, double hi) { return v < lo ? lo : v > hi ? hi : v; }

const std::vector<FunctionCase> functions{
    {"relu", [](B& b, X x) { return b.relu(x); }, [](double v) { return v < 0 ? 0 : v; }, 0},
    {"clamp", [](B& b, X x) { return b.clamp(x, {.minValue = -0.5, .maxValue = 0.25}); },
     [](double v) { return clamp(v, -0.5, 0.25); }, 0},
    {"abs", [](B& b, X x) { return b.abs(x); }, [](double v) { return std::abs(v); }, 0},
    {"neg", [](B& b, X x) { return b.neg(x); }, [](double v) { return -v; }, 0},
    {"ceil", [](B& b, X x) { return b.ceil(x); }, [](double v) { return std::ceil(v); }, 0},
    {"floor", [](B& b, X x) { return b.floor(x); }, [](double v) { return std::floor(v); }, 0},
    {"roundEven", [](B& b, X x) { return b.roundEven(x); },
     [](double v) { return std::nearbyint(v); }, 0},
    {"sign", [](B& b, X x) { return b.sign(x); },
     [](double v) { return double(v > 0) - double(v < 0); }, 0},
    {"sqrt", [](B& b, X x) { return b.sqrt(x); }, [](double v) { return std::sqrt(v); }, 0},
    {"reciprocal", [](B& b, X x) { return b.reciprocal(x); }, [](double v) { return 1 / v; }, 0},
    {"square", [](B& b, X x) { return b.pow(x, b.constant(float32, 2)); },
     [](double v) { return v * v; }, 0},
    {"pow 3", [](B& b, X x) { return b.pow(x, b.constant(float32, 3)); },
     [](double v) { return v * v * v; }, 2},
    {"pow 4", [](B& b, X x) { return b.pow(x, b.constant(float32, 4)); },
     [](double v) { return v * v * v * v; }, 2},
    {"pow 0.5", [](B& b, X x) { return b.pow(x, b.constant(float32, 0.5)); },
     [](double v) { return std::pow(v, 0.5); }, 0},
    {"pow -0.5", [](B& b, X x) { return b.pow(x, b.constant(float32, -0.5)); },
     [](double v) { return std::pow(v, -0.5); }, 2},
    {"pow -1", [](B& b, X x) { return b.pow(x, b.constant(float32, -1)); },
     [](double v) { return 1 / v; }, 0},
    {"pow -2", [](B& b, X x) { return b.pow(x, b.constant(float32, -2)); },
     [](double v) { return 1 / (v * v); }, 2},
    {"exp", [](B& b, X x) { return b.exp(x); }, [](double v) { return std::exp(v); }, 4},
    {"log", [](B& b, X x) { return b.log(x); }, [](double v) { return std::log(v); }, 2},
    {"erf", [](B& b, X x) { return b.erf(x); }, [](double v) { return std::erf(v); }, 4},
    {"tanh", [](B& b, X x) { return b.tanh(x); }, [](double v) { return std::tanh(v); }, 4},
    {"sigmoid", [](B& b, X x) { return b.sigmoid(x); },
     [](double v) { return 1 / (1 + std::exp(-v)); }, 4},
    {"softplus", [](B& b, X x) { return b.softplus(x); },
     [](double v) { return std::max(v, 0.0) + std::log1p(std::exp(-std::abs(v))); }, 4},
    {"softsign", [](B& b, X x) { return b.softsign(x); },
     [](double v) { return v / (1 + std::abs(v)); }, 2},
    {"elu", [](B& b, X x) { return b.elu(x, {.alpha = 0.5}); },
     [](double v) { return v < 0 ? 0.5 * std::expm1(v) : v; }, 4},
    {"leakyRelu", [](B& b, X x) { return b.leakyRelu(x, {.alpha = 0.25}); },
     [](double v) { return v < 0 ? 0.25 * v : v; }, 0},
    {"hardSwish", [](B& b, X x) { return b.hardSwish(x); },
     [](double v) { return v * (clamp(v + 3, 0, 6) / 6); }, 4},
    {"hardSigmoid", [](B& b, X x) { return b.hardSigmoid(x, {.alpha = 0.25, .beta = 0.5}); },
     [](double v) { return clamp(0.25 * v + 0.5, 0, 1); }, 1},
    {"linear", [](B& b, X x) { return b.linear(x, {.alpha = -3, .beta = 1}); },
     [](double v) { return 1 - 3 * v; }, 1},
    // Below -20 its distance from 0 is smaller than the smallest float.
    {"gelu", [](B& b, X x) { return b.gelu(x); },
     [](double v) { return v < -20 ? -0.0 : 0.5 * v * std::erfc(-v / std::sqrt(2.0)); }, 6},
};

/// Numbers of every exponent and both signs, with some mantissas; zeros, infinities and NaN.
std::vector<float> all_exponents() {
  std::vector<float> v{0, -0.f, INFINITY, -INFINITY, NAN, 1, -1, 0.5f, 2.5f, -2.5f, 1e-45f};
  std::mt19937 random(5);
  for (std::uint32_t top = 0; top < 512; ++top) {
    if ((top & 255) == 255) continue;
    for (std::uint32_t i = 0; i < 24; ++i) {
      const auto any = static_cast<std::uint32_t>(random() & 0x7fffffu);
      const std::uint32_t mantissa = i == 0 ? 0 : i == 1 ? 0x7fffffu : any;
      v.push_back(std::bit_cast<float>(top << 23 | mantissa));
    }
  }
  std::uniform_real_distribution<float> u(-30, 30);
  for (int i = 0; i < 4000; ++i) v.push_back(u(random));
  return v;
}

void compare(const std::vector<float>& x, const std::vector<float>& y,
             const std::function<double(double)>& f, double ulp) {
  REQUIRE(x.size() == y.size());
  double worst = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const double d = ulp_distance(y[i], static_cast<float>(f(x[i]))); d > worst) {
      worst = d;
      at = i;
    }
  INFO(x[at] << " gives " << y[at] << " for " << f(x[at]));
  CHECK(worst <= ulp);
}

/// a op b for all pairs of shapes; values too.
struct BinaryCase {
  const char* name;
  std::function<X(B&, X, X)> append;
  std::function<float(float, float)> value;
};
const std::vector<BinaryCase> binaries{
    {"add", [](B& b, X x, X y) { return b.add(x, y); }, [](float x, float y) { return x + y; }},
    {"sub", [](B& b, X x, X y) { return b.sub(x, y); }, [](float x, float y) { return x - y; }},
    {"mul", [](B& b, X x, X y) { return b.mul(x, y); }, [](float x, float y) { return x * y; }},
    {"div", [](B& b, X x, X y) { return b.div(x, y); }, [](float x, float y) { return x / y; }},
    {"max", [](B& b, X x, X y) { return b.max(x, y); },
     [](float x, float y) { return x != x || y != y ? NAN : std::max(x, y); }},
    {"min", [](B& b, X x, X y) { return b.min(x, y); },
     [](float x, float y) { return x != x || y != y ? NAN : std::min(x, y); }},
    {"prelu", [](B& b, X x, X y) { return b.prelu(x, y); },
     [](float x, float y) { return x < 0 ? x * y : x; }},
    {"modulusFloor", [](B& b, X x, X y) { return b.modulusFloor(x, y); },
     [](float x, float y) {
       const float rest = std::fmod(x, y);
       if (rest == 0) return std::copysign(rest, y);
       return (rest < 0) != (y < 0) ? rest + y : rest;
     }},
    {"modulusTruncate", [](B& b, X x, X y) { return b.modulusTruncate(x, y); },
     [](float x, float y) { return std::fmod(x, y); }},
};

}  // namespace

TEST_CASE("simd elementwise: functions over all exponents") {
  const std::vector<float> x = all_exponents();
  for_targets([&] {
    for (const FunctionCase& f : functions) {
      INFO(f.name);
      ChainUnderTest t;
      const X in = t.input({static_cast<std::uint32_t>(x.size())}, x);
      compare(x, t.run(f.append(t.b, in)), f.value, f.ulp);
    }
  });
}

TEST_CASE("simd elementwise: zeros keep their signs, the greater of two zeros is +0") {
  for_targets([] {
    const auto run = [](const std::vector<float>& x, const std::function<X(B&, X, X)>& f,
                        const std::vector<float>& z) {
      ChainUnderTest t;
      const X in = t.input({static_cast<std::uint32_t>(x.size())}, x);
      return t.run(f(t.b, in, t.input({static_cast<std::uint32_t>(z.size())}, z)));
    };
    const std::vector<float> a{0, -0.f, 0, -0.f}, c{-0.f, 0, 0, -0.f};
    const auto most = run(
        a, [](B& b, X x, X y) { return b.max(x, y); }, c);
    const auto least = run(
        a, [](B& b, X x, X y) { return b.min(x, y); }, c);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(std::signbit(most[i]) == (i == 3));
      CHECK(std::signbit(least[i]) == (i != 2));
    }
    ChainUnderTest t;
    const auto y = t.run(t.b.relu(t.input({3}, {-0.f, 0, -1})));
    CHECK(std::signbit(y[0]));
    CHECK_FALSE(std::signbit(y[2]));
  });
}

TEST_CASE("simd elementwise: operands broadcast") {
  using Shapes = std::pair<Dims, Dims>;
  for_targets([] {
    for (const BinaryCase& f : binaries)
      for (const auto& [a, c] : {Shapes{{5, 7}, {5, 7}},
                                 {{3, 5, 37}, {37}},
                                 {{37}, {3, 5, 37}},
                                 {{2, 70, 300}, {300}},
                                 {{4, 33}, {}},
                                 {{}, {4, 33}},
                                 {{4, 33}, {4, 1}},
                                 {{6, 1, 100}, {6, 5, 1}},
                                 {{2, 3, 4, 5}, {2, 1, 4, 1}},
                                 {{2, 3, 4, 5}, {3, 1, 5}},
                                 {{9, 1}, {1, 8}},
                                 {{60, 1100}, {60, 1}}}) {
        INFO(f.name << " of ranks " << a.size() << " and " << c.size());
        ChainUnderTest t;
        const X x = t.input(a), z = t.input(c), y = f.append(t.b, x, z);
        const auto got = t.run(y);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < got.size(); ++i)
          wrong += got[i] != f.value(broadcast(t.values(x), a, y.shape(), i),
                                     broadcast(t.values(z), c, y.shape(), i));
        CHECK(wrong == 0);
      }
  });
}

TEST_CASE("simd elementwise: max and min propagate NaN") {
  for_targets([] {
    for (const BinaryCase& f : binaries) {
      ChainUnderTest t;
      const std::vector<float> a{NAN, 1, NAN, 2, INFINITY}, c{1, NAN, NAN, 3, -INFINITY};
      const auto got = t.run(f.append(t.b, t.input({5}, a), t.input({5}, c)));
      for (std::size_t i = 0; i < 5; ++i) CHECK(ulp_distance(got[i], f.value(a[i], c[i])) == 0);
    }
  });
}

TEST_CASE("simd elementwise: remainders have the bits of the C library") {
  const std::vector<float> all = all_exponents();
  std::vector<float> a, c;
  std::mt19937 random(11);
  for (const float x : all)
    for (int i = 0; i < 6; ++i) {
      const float y = all[random() % all.size()];
      a.push_back(i % 2 ? x : x * static_cast<float>(random() % 1000)), c.push_back(i < 4 ? y : x);
    }
  const Dims shape{static_cast<std::uint32_t>(a.size())};
  for_targets([&] {
    for (const BinaryCase& f : binaries) {
      if (!std::string_view(f.name).starts_with("modulus")) continue;
      ChainUnderTest t;
      const auto got = t.run(f.append(t.b, t.input(shape, a), t.input(shape, c)));
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        const float expected = f.value(a[i], c[i]);
        if (std::isnan(expected)) wrong += !std::isnan(got[i]) || std::signbit(got[i]);
        else
          wrong += std::bit_cast<std::uint32_t>(got[i]) != std::bit_cast<std::uint32_t>(expected);
      }
      INFO(f.name);
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE("simd elementwise: chains, with reshapes in between") {
  for_targets([] {
    {  // a normalization's tail
      ChainUnderTest t;
      const Dims shape{3, 50, 40};
      const X x = t.input(shape), mean = t.input({3, 50, 1}), factor = t.input({50, 1}),
              scale = t.constant({40}), bias = t.input({40}), residual = t.input(shape);
      B& b = t.b;
      const X y = b.sub(residual, b.add(bias, b.mul(b.mul(b.sub(x, mean), factor), scale)));
      const auto got = t.run(y);
      CHECK(t.kernel == "elementwise chain");
      for (std::size_t i = 0; i < got.size(); ++i) {
        const auto at = [&](const X& o) { return broadcast(t.values(o), o.shape(), shape, i); };
        const double e =
            at(residual) - (double{at(bias)} + (double{at(x)} - at(mean)) * at(factor) * at(scale));
        REQUIRE(std::abs(got[i] - e) < 1e-6);
      }
    }
    {  // the other operand is the first; a reshape; the steps write where the input lay
      ChainUnderTest t;
      const X x = t.input({6, 700}), other = t.input({4200});
      B& b = t.b;
      const X y = b.div(other, b.add(b.reshape(b.exp(x), {4200}), b.constant(float32, 1)));
      const auto got = t.run(b.relu(y));
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double e = t.values(other)[i] / (std::exp(double{t.values(x)[i]}) + 1);
        REQUIRE(std::abs(got[i] - std::max(e, 0.0)) < 1e-6);
      }
    }
  });
}

TEST_CASE("simd elementwise: casts from and to float16") {
  for_targets([] {
    MLContext context({.threads = 1, .backends = {"simd"}});
    {  // every float16 there is
      std::vector<Float16> x(65536);
      for (std::size_t i = 0; i < x.size(); ++i) x[i].bits = static_cast<std::uint16_t>(i);
      B b(context);
      const MLGraph g = b.build({{"y", b.cast(b.input("x", {float16, {65536}}), float32)}});
      std::vector<float> y(x.size());
      context.compute(g, {{"x", x}}, {{"y", y}});
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float e = x[i];
        if (std::isnan(e)) {
          REQUIRE(std::bit_cast<std::uint32_t>(y[i]) == 0x7fc00000);  // one NaN for all
        } else {
          REQUIRE(y[i] == e);
          REQUIRE(std::signbit(y[i]) == std::signbit(e));
        }
      }
    }
    {  // each float16, what lies between it and the next, the ties, and beyond the ends
      std::vector<float> x;
      for (std::uint32_t i = 0; i < 65536; ++i) {
        const float v = float16_value(static_cast<std::uint16_t>(i));
        const float w = float16_value(static_cast<std::uint16_t>(i + 1));
        for (float k : {0.f, 0.25f, 0.5f, 0.75f}) x.push_back(v + (w - v) * k);
        x.push_back(std::nextafter(v + (w - v) / 2, w));
      }
      for (float v : {65519.f, 65520.f, 1e6f, -1e38f, 1e-30f, -1e-45f}) x.push_back(v);
      B b(context);
      const auto n = static_cast<std::uint32_t>(x.size());
      const MLGraph g = b.build({{"y", b.cast(b.neg(b.input("x", {float32, {n}})), float16)}});
      std::vector<Float16> y(x.size());
      context.compute(g, {{"x", x}}, {{"y", y}});
      for (std::size_t i = 0; i < x.size(); ++i)
        if (std::isnan(x[i])) REQUIRE(std::isnan(float{y[i]}));
        else REQUIRE(y[i].bits == float16_bits(-x[i]));
    }
  });
}

TEST_CASE("simd elementwise: casts from and to float8e4m3 have the bits of the reference") {
  const auto run = [](const std::string& backend, const auto& x, auto y, MLOperandDataType from,
                      MLOperandDataType to) {
    MLContext context({.threads = 1, .backends = {backend, "reference"}});
    B b(context);
    const auto n = static_cast<std::uint32_t>(x.size());
    const MLGraph g = b.build({{"y", b.cast(b.input("x", {from, {n}}), to)}});
    CHECK((g.explain().find("simd elementwise") != std::string::npos) == (backend == "simd"));
    y.resize(x.size());
    context.compute(g, {{"x", x}}, {{"y", y}});
    return y;
  };
  std::vector<std::uint8_t> patterns;  // with a tail
  for (std::size_t i = 0; i < 256 + 5; ++i) patterns.push_back(static_cast<std::uint8_t>(i));
  // Each number, the ties around it and their neighbors, and all upper 16 bits of floats.
  std::vector<float> numbers{447.9f, 448.1f, 464.f, 465.f, 480.f, 1e6f, HUGE_VALF, 1e-45f};
  for (int i = 0; i < 0x7f; ++i) {
    const float v = float8e4m3_value(static_cast<std::uint8_t>(i)),
                next = i < 0x7e ? float8e4m3_value(static_cast<std::uint8_t>(i + 1)) : 512;
    for (const float f : {v, v + (next - v) / 4, v + (next - v) / 2}) {
      numbers.push_back(f);
      numbers.push_back(std::nextafter(f, 1000.f));
      numbers.push_back(std::nextafter(f, -1000.f));
    }
  }
  for (std::uint32_t i = 0; i < 32768; ++i)
    for (const std::uint32_t low : {0u, 1u, 0x8000u, 0xffffu})
      numbers.push_back(std::bit_cast<float>(i << 16 | low));
  const std::size_t positive = numbers.size();
  for (std::size_t i = 0; i < positive; ++i) numbers.push_back(-numbers[i]);
  const auto wide = run("reference", patterns, std::vector<float>(), float8e4m3, float32);
  const auto narrow = run("reference", numbers, std::vector<std::uint8_t>(), float32, float8e4m3);
  for (std::size_t i = 0; i < 256; ++i) {  // the reference itself, by the definition
    const int fraction = i & 7, exponent = i >> 3 & 15;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
    if (exponent == 15 && fraction == 7) CHECK(std::isnan(wide[i]));
    else CHECK(wide[i] == (i < 128 ? magnitude : -magnitude));
  }
  for_targets([&] {
    const auto a = run("simd", patterns, std::vector<float>(), float8e4m3, float32);
    CHECK(std::memcmp(a.data(), wide.data(), 4 * a.size()) == 0);
    CHECK((run("simd", numbers, std::vector<std::uint8_t>(), float32, float8e4m3) == narrow));
  });
}

TEST_CASE("simd elementwise: chains that are refused") {
  ChainUnderTest t;
  B& b = t.b;
  const auto refused = [&](const X& y) { return std::holds_alternative<Refusal>(t.lower(y)); };
  CHECK(refused(b.add(b.relu(t.input({1, 5})), t.input({4, 1}))));
  CHECK(refused(b.transpose(b.relu(t.input({4, 5})))));
  CHECK(refused(b.cast(b.relu(t.input({4, 5})), int32)));
  CHECK(refused(b.pow(t.input({4, 5}), t.input({}))));
}

}  // namespace webnn::inline v0_1::test
