#include <cmath>
#include <limits>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build softplus = [](auto& b, auto x) { return b.softplus(x[0]); };

/// Without cancellation or overflow for any x, by another way than log1p(exp(-abs(x))).
double exact(double x) {
  return x > 700 ? x : static_cast<double>(std::log1p(std::exp((long double)x)));
}

TEST_CASE("softplus: random tensors", "[softplus]") {
  check_elementwise(softplus, types::floats, "softplus", exact);
  check_elementwise(softplus, types::floats, "softplus", exact, -100, 1000);
}

TEST_CASE("softplus: infinities, zeros, NaN, overflow", "[softplus]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  check_values(softplus, types::floats, "softplus",
               {{inf, inf},
                {-inf, 0},
                {nan, nan},
                {0, std::log(2)},
                {-0.0, std::log(2)},
                {89, 89},
                {1000, 1000},
                {-1000, 0},
                {65504, 65504},
                {-65504, 0}});
}

TEST_CASE("softplus: the logarithm of 1 + exp(x)", "[softplus]") {
  Random random(251);
  check_same(softplus,
             [](auto& b, auto x) { return b.log(b.add(b.exp(x[0]), b.constant(float32, 1))); },
             {random.tensor(float32, {3, 50}, -2, 20)},
             {.ulp = tolerance_of("softplus", float32).ulp,
              .absolute = tolerance_of("log", float32).absolute});
}

}  // namespace
