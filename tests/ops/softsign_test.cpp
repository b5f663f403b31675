#include <cmath>
#include <limits>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const Build softsign = [](auto& b, auto x) { return b.softsign(x[0]); };
double exact(double x) { return x / (1 + std::abs(x)); }

TEST_CASE("softsign: random tensors", "[softsign]") {
  check_elementwise(softsign, types::floats, "softsign", exact);
  check_elementwise(softsign, types::floats, "softsign", exact, -60000, 60000);
}

TEST_CASE("softsign: zeros, NaN, the literal formula", "[softsign]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  check_values(softsign, types::floats, "softsign",
               {{0, 0}, {-0.0, -0.0}, {nan, nan}, {1, 0.5}, {-1, -0.5}, {inf, nan}, {-inf, nan}});
}

TEST_CASE("softsign: a quotient", "[softsign]") {
  Random random(261);
  check_same(
      softsign,
      [](auto& b, auto x) { return b.div(x[0], b.add(b.constant(float32, 1), b.abs(x[0]))); },
      {random.tensor(float32, {3, 50})}, tolerance_of("softsign", float32));
}

}  // namespace
