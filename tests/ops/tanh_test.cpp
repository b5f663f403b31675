#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/run.h"

using namespace webnn;
using namespace webnn::test;

namespace {

MLOperand tanh_of(MLGraphBuilder& b, Build::Operands x) { return b.tanh(x[0]); }

}  // namespace

TEST_CASE("tanh: in float32 and float16", "[tanh]") {
  check_elementwise(tanh_of, types::floats, "tanh", [](double v) { return std::tanh(v); });
  check_elementwise(
      tanh_of, types::floats, "tanh", [](double v) { return std::tanh(v); }, -0.01, 0.01);
}

TEST_CASE("tanh: large magnitudes give 1", "[tanh]") {
  check_values(tanh_of, types::floats, "tanh",
               {{INFINITY, 1}, {-INFINITY, -1}, {100, 1}, {-1000, -1}, {0, 0}, {NAN, NAN}});
}

TEST_CASE("tanh: as composed of other operators", "[tanh]") {
  Random random(1);
  const auto composed = [](MLGraphBuilder& b, Build::Operands x) {
    const MLOperand one = b.constant(float32, 1), e = b.exp(b.add(x[0], x[0]));
    return b.div(b.sub(e, one), b.add(e, one));
  };
  check_same(tanh_of, composed, {random.tensor(float32, {70}, 0.7, 9)}, {.ulp = 16 + 64 + 4});
}
