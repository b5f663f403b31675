#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

Build hard_sigmoid(double alpha, double beta) {
  return [=](MLGraphBuilder& b, Build::Operands x) {
    return b.hardSigmoid(x[0], {.alpha = alpha, .beta = beta});
  };
}

}  // namespace

TEST_CASE("hardSigmoid: alpha * x + beta between 0 and 1", "[hard_sigmoid]") {
  for (const auto& line : {std::pair(0.25, 0.5), std::pair(-0.5, 0.25), std::pair(4.0, -0.5)}) {
    const double alpha = line.first, beta = line.second;
    check_elementwise(hard_sigmoid(alpha, beta), types::floats, "hardSigmoid",
                      [=](double v) { return std::max(0.0, std::min(alpha * v + beta, 1.0)); });
  }
}

TEST_CASE("hardSigmoid: defaults", "[hard_sigmoid]") {
  check_values([](MLGraphBuilder& b, Build::Operands x) { return b.hardSigmoid(x[0]); },
               types::floats, "hardSigmoid", {{0, 0.5}, {1, 0.7}, {-5, 0}, {5, 1}});
}

TEST_CASE("hardSigmoid: infinities and NaN", "[hard_sigmoid]") {
  check_values(hard_sigmoid(0.2, 0.5), types::floats, "hardSigmoid",
               {{INFINITY, 1}, {-INFINITY, 0}, {NAN, NAN}});
}

TEST_CASE("hardSigmoid: as composed of other operators", "[hard_sigmoid]") {
  Random random(1);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const auto c = [&](double v) { return b.constant(float32, v); };
    return b.max(b.min(b.add(b.mul(x[0], c(0.25)), c(0.5)), c(1)), c(0));
  };
  check_same(hard_sigmoid(0.25, 0.5), composed, {random.tensor(float32, {70}, -1, 6)}, {.ulp = 4});
}
