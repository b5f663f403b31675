// Loops whose iterations follow from open dimensions: the exporter refuses them.
#include "tests/support/catch.h"
#include "tests/support/looped.h"
#include "tests/support/thrown.h"
#include "webnn/onnx.h"

using namespace webnn;
using namespace webnn::test;

TEST_CASE(
    "onnx export: a loop over an open dimension is refused, and its graph at known sizes is not") {
  const MLGraph graph = looped();
  CHECK(thrown([&] { webnn::onnx::export_model(graph); }) == no_loops);
  CHECK(!webnn::onnx::export_model(graph.prepare({{"x", {3, 2}}})).empty());
}
