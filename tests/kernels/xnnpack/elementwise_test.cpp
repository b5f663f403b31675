#include <cmath>
#include <limits>

#include "src/kernels/backends.h"
#include "tests/support/catch.h"
#include "tests/support/random_cases.h"

namespace webnn::inline v0_1::test {
namespace {

const Backend& xnnpack() {
  static const auto backend = xnnpack_backend();
  return *backend;
}

using Function = std::function<MLOperand(MLGraphBuilder&, const MLOperand&)>;
using Pair = std::function<MLOperand(MLGraphBuilder&, const MLOperand&, const MLOperand&)>;

/// Positive values for those that want them; many magnitudes for all.
std::vector<float> values(std::size_t n, bool positive) {
  Random r(5);
  std::vector<float> v = r.floats(n, -12, 12);
  for (std::size_t i = 0; i < n; i += 3)
    v[i] = std::ldexp(v[i], static_cast<int>(r.between(0, 30)) - 20);
  for (std::size_t i = 0; i < n; i += 7) v[i] = std::round(v[i]) + 0.5f;
  if (positive)
    for (float& x : v) x = std::abs(x) + 0x1p-60f;
  return v;
}

KernelCase unary_case(const Function& f, std::uint32_t n, bool positive = false) {
  KernelCase c([&](MLGraphBuilder& b) { return f(b, b.input("x", {float32, {n}})); });
  c.set_input(0, values(n, positive));
  return c;
}

float one(const Function& f, float x) {
  KernelCase c([&](MLGraphBuilder& b) { return f(b, b.input("x", {float32, {1}})); });
  c.set_input(0, {x});
  const Lowering l = c.lower(xnnpack());
  return c.run(std::get<Candidate>(l), {{0, 1}})[0];
}

const std::vector<Function>& exact_functions() {
  static const std::vector<Function> all{
      [](auto& b, auto& x) { return b.abs(x); },
      [](auto& b, auto& x) { return b.ceil(x); },
      [](auto& b, auto& x) { return b.floor(x); },
      [](auto& b, auto& x) { return b.neg(x); },
      [](auto& b, auto& x) { return b.roundEven(x); },
      [](auto& b, auto& x) { return b.relu(x); },
      [](auto& b, auto& x) { return b.clamp(x, {.minValue = -1, .maxValue = 2.5}); },
      [](auto& b, auto& x) { return b.clamp(x, {.maxValue = 2.5}); },
      [](auto& b, auto& x) { return b.leakyRelu(x, {.alpha = 0.3}); },
      [](auto& b, auto& x) { return b.leakyRelu(x, {.alpha = -2}); },
  };
  return all;
}
/// Functions that are precise enough in some versions only.
const std::vector<Function>& other_functions() {
  static const std::vector<Function> all{[](auto& b, auto& x) { return b.exp(x); },
                                         [](auto& b, auto& x) { return b.tanh(x); },
                                         [](auto& b, auto& x) { return b.gelu(x); },
                                         [](auto& b, auto& x) { return b.hardSwish(x); },
                                         [](auto& b, auto& x) { return b.elu(x); },
                                         [](auto& b, auto& x) { return b.elu(x, {.alpha = 0.3}); },
                                         [](auto& b, auto& x) { return b.sigmoid(x); }};
  return all;
}

}  // namespace

TEST_CASE("xnnpack: functions of one operand") {
  for (std::uint32_t n : {1u, 3u, 16u, 31u, 1000u, 70001u}) {
    for (std::size_t i = 0; i < exact_functions().size(); ++i) {
      CAPTURE(n, i);
      check(xnnpack(), unary_case(exact_functions()[i], n));
    }
    for (std::size_t i = 0; i < other_functions().size(); ++i) {
      CAPTURE(n, i);
      check_if_taken(xnnpack(), unary_case(other_functions()[i], n));
    }
    check_if_taken(xnnpack(), unary_case([](auto& b, auto& x) { return b.sqrt(x); }, n, true));
    check_if_taken(xnnpack(), unary_case([](auto& b, auto& x) { return b.log(x); }, n, true));
  }
}

TEST_CASE("xnnpack: functions of NaN, infinities and zeros") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Function> all = exact_functions();
  for (const Function& f : other_functions())
    if (refusal(xnnpack(), unary_case(f, 1)).empty()) all.push_back(f);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    CHECK(std::isnan(one(all[i], nan)));
  }
  const auto lowered = [](const Function& f) {
    return refusal(xnnpack(), unary_case(f, 1)).empty();
  };
  if (const Function sigmoid = [](auto& b, auto& x) { return b.sigmoid(x); }; lowered(sigmoid)) {
    CHECK(one(sigmoid, infinity) == 1);
    CHECK(one(sigmoid, -infinity) == 0);
    CHECK(one(sigmoid, 1e30f) == 1);
  }
  if (const Function elu = [](auto& b, auto& x) { return b.elu(x); }; lowered(elu)) {
    CHECK(one(elu, -infinity) == -1);
    CHECK(one(elu, infinity) == infinity);
  }
  if (const Function sqrt = [](auto& b, auto& x) { return b.sqrt(x); }; lowered(sqrt)) {
    CHECK(std::isnan(one(sqrt, -1)));
    CHECK(one(sqrt, infinity) == infinity);
    CHECK(std::signbit(one(sqrt, -0.0f)));
  }
  const Function ceil = [](auto& b, auto& x) { return b.ceil(x); };
  CHECK(std::signbit(one(ceil, -0.5f)));
  CHECK(one(ceil, 3e9f) == 3e9f);
  CHECK(one(ceil, -infinity) == -infinity);
  const Function even = [](auto& b, auto& x) { return b.roundEven(x); };
  CHECK(one(even, -2.5f) == -2);
  CHECK(one(even, 3.5f) == 4);
  const Function relu = [](auto& b, auto& x) { return b.relu(x); };
  CHECK(one(relu, infinity) == infinity);
  CHECK(one(relu, -infinity) == 0);
}

TEST_CASE("xnnpack: functions of two operands that broadcast") {
  const std::vector<Pair> functions{[](auto& b, auto& x, auto& y) { return b.add(x, y); },
                                    [](auto& b, auto& x, auto& y) { return b.sub(x, y); },
                                    [](auto& b, auto& x, auto& y) { return b.mul(x, y); },
                                    [](auto& b, auto& x, auto& y) { return b.div(x, y); },
                                    [](auto& b, auto& x, auto& y) { return b.max(x, y); },
                                    [](auto& b, auto& x, auto& y) { return b.min(x, y); }};
  const std::vector<std::pair<Dims, Dims>> shapes{{{}, {}},
                                                  {{1}, {}},
                                                  {{37}, {37}},
                                                  {{40000}, {40000}},
                                                  {{40001}, {1}},
                                                  {{1}, {333}},
                                                  {{50, 64}, {64}},
                                                  {{50, 63}, {63}},
                                                  {{50, 63}, {50, 1}},
                                                  {{3, 1, 5}, {4, 1}},
                                                  {{2, 3, 4, 5}, {2, 1, 4, 1}},
                                                  {{2, 1, 3, 1, 2, 1}, {2, 1, 2, 1, 3}},
                                                  {{128, 1}, {1, 300}},
                                                  {{7, 1, 1, 9}, {7, 5, 4, 9}}};
  for (std::size_t f = 0; f < functions.size(); ++f)
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      CAPTURE(f, s);
      const KernelCase c([&](MLGraphBuilder& b) {
        return functions[f](b, b.input("a", {float32, shapes[s].first}),
                            b.input("b", {float32, shapes[s].second}));
      });
      if (f < 3) check(xnnpack(), c);
      else check_if_taken(xnnpack(), c);  // div, max and min lose a NaN on some processors
    }
}

TEST_CASE("xnnpack: more than six dimensions that broadcast are refused") {
  CHECK(refusal(xnnpack(), KernelCase([](MLGraphBuilder& b) {
                  return b.add(b.input("a", {float32, {2, 1, 2, 1, 2, 1, 2}}),
                               b.input("b", {float32, {1, 2, 1, 2, 1, 2, 1}}));
                })) == "more than six dimensions broadcast");
}

TEST_CASE("xnnpack: softmax on the last axis") {
  for (const Dims& shape :
       std::vector<Dims>{{1}, {7}, {1000}, {3, 4, 5}, {64, 129}, {300, 64}, {5, 1}}) {
    KernelCase c([&](MLGraphBuilder& b) {
      return b.softmax(b.input("x", {float32, shape}),
                       static_cast<std::uint32_t>(shape.size()) - 1);
    });
    check(xnnpack(), c);
    c.set_input(0, Random(2).floats(element_count(shape), -300, 300));
    check(xnnpack(), c);
  }
  CHECK(refusal(xnnpack(), KernelCase([](MLGraphBuilder& b) {
                  return b.softmax(b.input("x", {float32, {3, 4}}), 0);
                })) == "the axis is not the last one");
}

}  // namespace webnn::inline v0_1::test
