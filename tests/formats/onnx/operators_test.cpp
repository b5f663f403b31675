// Small models of the operators, on the default kernels and on the reference kernels.
#include <cmath>

#include "tests/formats/onnx/check_outputs.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx::test;

namespace {

void check(const Case& c, MLContext context) {
  const auto file = c.writer.file();
  check_outputs(c, run(file, c.inputs, {}, context));
}

}  // namespace

TEST_CASE("onnx: small models give the outputs computed by hand") {
  for (const Case& c : all_cases()) {
    INFO(c.name);
    check(c, MLContext());
    check(c, webnn::test::plain_context());
  }
}
