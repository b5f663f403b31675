#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build leaky_relu(double alpha) {
  return [=](MLGraphBuilder& b, Build::Operands x) { return b.leakyRelu(x[0], {.alpha = alpha}); };
}

}  // namespace

TEST_CASE("leakyRelu: alpha * x below zero", "[leaky_relu]") {
  for (double alpha : {0.25, 2.0, -1.5, 0.0})
    check_elementwise(leaky_relu(alpha), types::floats, "leakyRelu",
                      [=](double v) { return std::max(0.0, v) + alpha * std::min(0.0, v); });
}

TEST_CASE("leakyRelu: default, infinities and NaN", "[leaky_relu]") {
  check_values([](MLGraphBuilder& b, Build::Operands x) { return b.leakyRelu(x[0]); },
               types::floats, "leakyRelu",
               {{-1, -0.01}, {2, 2}, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}, {NAN, NAN}});
}

TEST_CASE("leakyRelu: as composed of other operators", "[leaky_relu]") {
  Random random(1);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const auto c = [&](double v) { return b.constant(float32, v); };
    return b.add(b.max(c(0), x[0]), b.mul(c(0.3), b.min(c(0), x[0])));
  };
  check_same(leaky_relu(0.3), composed, {random.tensor(float32, {70})}, {.ulp = 1 + 1 + 1});
}
