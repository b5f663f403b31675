#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build elu(double alpha) {
  return [alpha](MLGraphBuilder& b, Build::Operands x) { return b.elu(x[0], {.alpha = alpha}); };
}

}  // namespace

TEST_CASE("elu: alpha * (exp(x) - 1) below zero", "[elu]") {
  for (double alpha : {1.0, 0.25, -2.0})
    check_elementwise(elu(alpha), types::floats, "elu", [alpha](double v) {
      return std::max(0.0, v) + alpha * std::expm1(std::min(0.0, v));
    });
}

TEST_CASE("elu: infinities, zeros and NaN", "[elu]") {
  check_values(elu(2), types::floats, "elu",
               {{INFINITY, INFINITY}, {-INFINITY, -2}, {-100, -2}, {0, 0}, {-0.0, 0}, {NAN, NAN}});
}

TEST_CASE("elu: alpha is rounded to the data type", "[elu]") {
  check_values(elu(1 + 0x1p-12), {float16}, "elu", {{-INFINITY, -1}});
}

TEST_CASE("elu: as composed of other operators", "[elu]") {
  Random random(1);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const auto c = [&](double v) { return b.constant(float32, v); };
    return b.add(b.max(x[0], c(0)), b.mul(c(0.5), b.sub(b.exp(b.min(x[0], c(0))), c(1))));
  };
  // Away from zero, where exp(x) - 1 cancels.
  check_same(elu(0.5), composed, {random.tensor(float32, {4, 40}, -5, -0.7)}, {.ulp = 18 + 32 + 3});
}
