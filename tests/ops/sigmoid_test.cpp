#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

MLOperand sigmoid(MLGraphBuilder& b, Build::Operands x) { return b.sigmoid(x[0]); }
double logistic(double v) { return 1 / (1 + std::exp(-v)); }

}  // namespace

TEST_CASE("sigmoid: 1 / (1 + exp(-x))", "[sigmoid]") {
  check_elementwise(sigmoid, types::floats, "sigmoid", logistic, -12, 12);
}

TEST_CASE("sigmoid: large magnitudes do not overflow", "[sigmoid]") {
  check_values(
      sigmoid, types::floats, "sigmoid",
      {{INFINITY, 1}, {-INFINITY, 0}, {0, 0.5}, {-0.0, 0.5}, {NAN, NAN}, {200, 1}, {-500, 0}});
  check_values(sigmoid, {float32}, "sigmoid", {{-100, logistic(-100)}, {-95, logistic(-95)}});
}

TEST_CASE("sigmoid: as composed of other operators", "[sigmoid]") {
  Random random(1);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const MLOperand one = b.constant(x[0].dataType(), 1);
    return b.div(one, b.add(b.exp(b.neg(x[0])), one));
  };
  check_same(sigmoid, composed, {random.tensor(float32, {3, 50}, -20, 20)},
             {.ulp = 34 + 32 + 1 + 2});
}
