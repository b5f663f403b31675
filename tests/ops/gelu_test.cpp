#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

MLOperand gelu(MLGraphBuilder& b, Build::Operands x) { return b.gelu(x[0]); }
double exact(double v) { return 0.5 * v * std::erfc(-v / std::sqrt(2.0)); }

}  // namespace

TEST_CASE("gelu: the exact form, x / 2 * (1 + erf(x / sqrt(2)))", "[gelu]") {
  check_elementwise(gelu, types::floats, "gelu", exact, -3, 6);
}

TEST_CASE("gelu: where 1 + erf cancels, on the reference kernels", "[gelu]") {
  std::vector<double> x, y;
  for (double v = -12; v < -3; v += 0.37) x.push_back(static_cast<float>(v));
  for (double v : x) y.push_back(exact(v));
  const Dims shape{static_cast<std::uint32_t>(x.size())};
  const auto results = run(gelu, std::vector{tensor(float32, shape, x)});
  CHECK(difference(results[0], tensor(float32, shape, y), tolerance_of("gelu", float32)) == "");
}

TEST_CASE("gelu: zeros, infinity and NaN", "[gelu]") {
  check_values(gelu, types::floats, "gelu",
               {{0, 0}, {-0.0, 0}, {INFINITY, INFINITY}, {-INFINITY, 0}, {NAN, NAN}});
}

TEST_CASE("gelu: as composed of other operators", "[gelu]") {
  Random random(1);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const auto c = [&](double v) { return b.constant(float32, v); };
    return b.mul(b.mul(x[0], c(0.5)), b.add(c(1), b.erf(b.div(x[0], c(std::sqrt(2.0))))));
  };
  check_same(gelu, composed, {random.tensor(float32, {4, 40}, -3, 3)}, {.absolute = 3.0 / 1024});
}
