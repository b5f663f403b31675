#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

MLOperand hard_swish(MLGraphBuilder& b, Build::Operands x) { return b.hardSwish(x[0]); }

}  // namespace

TEST_CASE("hardSwish: x * clamp(x + 3, 0, 6) / 6", "[hard_swish]") {
  check_elementwise(hard_swish, types::floats, "hardSwish",
                    [](double v) { return v * std::max(0.0, std::min(6.0, v + 3)) / 6; });
}

TEST_CASE("hardSwish: knees, infinity and NaN", "[hard_swish]") {
  check_values(hard_swish, types::floats, "hardSwish",
               {{-3, 0}, {3, 3}, {0, 0}, {-1.5, -0.375}, {INFINITY, INFINITY}, {NAN, NAN}});
}

TEST_CASE("hardSwish: as composed of other operators", "[hard_swish]") {
  Random random(1);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const auto c = [&](double v) { return b.constant(float32, v); };
    return b.div(b.mul(x[0], b.max(c(0), b.min(c(6), b.add(x[0], c(3))))), c(6));
  };
  check_same(hard_swish, composed, {random.tensor(float32, {70})}, {.ulp = 4 + 1 + 1 + 2});
}
