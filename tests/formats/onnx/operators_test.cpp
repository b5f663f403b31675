// Small models of the operators, on the default kernels and on the reference kernels.
#include <cmath>

#include "tests/formats/onnx/cases.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx::test;

namespace {

void check(const Case& c, MLContext context) {
  const auto file = c.writer.file();
  const auto results = run(file, c.inputs, {}, context);
  REQUIRE(results.size() == c.outputs.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Tensor &y = results[i], &expected = c.outputs[i];
    CHECK(y.type == expected.type);
    REQUIRE(y.shape == expected.shape);
    for (std::size_t k = 0; k < y.size(); ++k) {
      INFO("output " << i << ", element " << k << ": " << y[k] << ", expected " << expected[k]);
      CHECK(std::abs(y[k] - expected[k]) <= 1e-5 * std::max(1.0, std::abs(expected[k])));
    }
  }
}

}  // namespace

TEST_CASE("onnx: small models give the outputs computed by hand") {
  for (const Case& c : all_cases()) {
    INFO(c.name);
    check(c, MLContext());
    check(c, webnn::test::plain_context());
  }
}
