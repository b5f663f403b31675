#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build linear(double alpha, double beta) {
  return [=](MLGraphBuilder& b, Build::Operands x) {
    return b.linear(x[0], {.alpha = alpha, .beta = beta});
  };
}

}  // namespace

TEST_CASE("linear: alpha * x + beta", "[linear]") {
  // Away from the zero of the line, where a rounded product would cancel.
  check_elementwise(linear(0.5, 4), types::floats, "linear", [](double v) { return 0.5 * v + 4; });
  check_elementwise(
      linear(-2, -13), types::floats, "linear", [](double v) { return -2 * v - 13; }, 0, 6);
}

TEST_CASE("linear: defaults, coefficients in the data type, infinities and NaN", "[linear]") {
  check_values([](MLGraphBuilder& b, Build::Operands x) { return b.linear(x[0]); }, types::floats,
               "linear", {{3, 3}, {-0.5, -0.5}, {INFINITY, INFINITY}, {NAN, NAN}});
  check_values(linear(1 + 0x1p-12, 0x1p-30), {float16}, "linear", {{1, 1}, {0, 0}});
}

TEST_CASE("linear: as composed of other operators", "[linear]") {
  Random random(1);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    return b.add(b.mul(x[0], b.constant(float32, 0.7)), b.constant(float32, 3));
  };
  check_same(linear(0.7, 3), composed, {random.tensor(float32, {70}, 0, 4)}, {.ulp = 2 + 1 + 1});
}
