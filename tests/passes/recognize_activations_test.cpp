#include <cmath>
#include <numbers>

#include "tests/passes/small_graphs.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct WrittenOut : Net {
  MLOperand x = b.input("x", {float32, {2, 3, 8}});

  MLOperand number(double v) { return b.constant(float32, v); }
  MLOperand times(const MLOperand& y, double v) { return b.mul(y, number(v)); }
  MLOperand over(const MLOperand& y, double v) { return b.div(y, number(v)); }
  MLOperand plus(const MLOperand& y, double v) { return b.add(number(v), y); }
  MLOperand erf() { return b.erf(over(x, std::numbers::sqrt2)); }
  MLOperand between(const MLOperand& y, double lo, double hi) {
    return b.clamp(y, {.minValue = lo, .maxValue = hi});
  }
};
Names recognized(const MLOperand& y) { return names(recognize_activations(graph_of({{"y", y}}))); }

}  // namespace

TEST_CASE("recognize_activations: gelu in its usual forms") {
  WrittenOut w;
  const auto half = [&] { return w.times(w.x, 0.5); };
  const auto narrow = [&] { return w.b.erf(w.times(w.x, 0.70710678)); };
  const MLOperand forms[] = {
      w.times(w.b.mul(w.x, w.plus(w.erf(), 1)), 0.5),
      w.b.mul(half(), w.plus(narrow(), 1)),
      w.b.mul(w.plus(w.erf(), 1), half()),
      w.b.mul(w.x, w.times(w.plus(narrow(), 1), 0.5)),
      w.b.mul(w.x, w.plus(w.times(w.erf(), 0.5), 0.5)),
      w.over(w.b.mul(w.x, w.plus(w.erf(), 1)), 2),
  };
  for (const MLOperand& y : forms) CHECK(recognized(y) == Names{"gelu"});
}

TEST_CASE("recognize_activations: hardSwish in its usual forms") {
  WrittenOut w;
  const MLOperand forms[] = {
      w.over(w.b.mul(w.x, w.between(w.plus(w.x, 3), 0, 6)), 6),
      w.b.mul(w.x, w.times(w.between(w.plus(w.x, 3), 0, 6), 1.0 / 6)),
      w.b.mul(w.between(w.plus(w.over(w.x, 6), 0.5), 0, 1), w.x),
      w.b.mul(w.x, w.b.hardSigmoid(w.x, {.alpha = 1.0 / 6, .beta = 0.5})),
  };
  for (const MLOperand& y : forms) CHECK(recognized(y) == Names{"hardSwish"});
}

TEST_CASE("recognize_activations leaves what is only similar") {
  WrittenOut w;
  const auto gelu = [&](double argument, double term, double factor) {
    return w.times(w.b.mul(w.x, w.plus(w.b.erf(w.over(w.x, argument)), term)), factor);
  };
  const MLOperand other = w.b.input("other", w.x.descriptor());
  const MLOperand sum = w.plus(w.erf(), 1);
  const MLOperand different[] = {
      gelu(1.4142, 1, 0.5),                                       // not the root of 2
      gelu(std::numbers::sqrt2, 0.5, 0.5),                        // another sum
      gelu(std::numbers::sqrt2, 1, 1),                            // twice as large
      w.times(w.b.mul(other, sum), 0.5),                          // another operand
      w.over(w.b.mul(w.x, w.between(w.plus(w.x, 3), 0, 5)), 6),   // another bound
      w.over(w.b.mul(w.x, w.between(w.plus(w.x, 2), 0, 6)), 6),   // another sum
      w.over(w.b.mul(w.x, w.between(w.plus(w.x, 3), -1, 6)), 6),  // a lower bound
      w.b.mul(w.x, w.b.hardSigmoid(w.x)),                         // alpha is 0.2
      w.b.mul(w.b.mul(w.x, other), w.b.hardSigmoid(w.x, {.alpha = 1.0 / 6, .beta = 0.5})),
  };
  for (const MLOperand& y : different) {
    const Names all = recognized(y);
    CHECK(std::count(all.begin(), all.end(), "gelu") == 0);
    CHECK(std::count(all.begin(), all.end(), "hardSwish") == 0);
  }
  // Broadcast to another shape.
  const MLOperand wide = w.b.constant({float32, {1, 1, 1, 1}}, std::vector<float>{0.5f});
  const Names broadcast = recognized(w.b.mul(w.b.mul(w.x, w.plus(w.erf(), 1)), wide));
  CHECK(std::count(broadcast.begin(), broadcast.end(), "gelu") == 0);
}

TEST_CASE("recognize_activations keeps the values, and the activation joins the product before") {
  std::vector<float> x(3 * 8), results[2];
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 6 * std::sin(static_cast<float>(i));
  for (const char* setting : {"none", ""}) {
    REQUIRE(setenv("WEBNN_PASSES", setting, 1) == 0);
    MLContext context({.threads = 1});
    MLGraphBuilder b(context);
    std::vector<float> identity(8 * 8);
    for (std::size_t i = 0; i < 8; ++i) identity[i * 9] = 1;
    const MLOperand product =
        b.gemm(b.input("x", {float32, {3, 8}}), b.constant({float32, {8, 8}}, identity));
    const MLOperand erf = b.erf(b.div(product, b.constant(float32, std::numbers::sqrt2)));
    const MLOperand y =
        b.mul(b.mul(product, b.add(erf, b.constant(float32, 1))), b.constant(float32, 0.5));
    const MLGraph g = b.build({{"y", y}});
    std::vector<float>& out = results[*setting == 0];
    out.resize(x.size());
    context.compute(g, {{"x", x}}, {{"y", out}});
    CHECK((g.optimized().size() == 2) == (*setting == 0));
  }
  REQUIRE(unsetenv("WEBNN_PASSES") == 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK(results[1][i] == Approx(results[0][i]).epsilon(1e-6).margin(1e-6));
}
