// Custom operators in .onnx files: nodes of their domain.
#include <array>

#include "src/formats/onnx/model.h"
#include "tests/support/catch.h"
#include "tests/support/custom_operators.h"
#include "tests/support/thrown.h"
#include "webnn/onnx.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const MLContext& context() {
  static const MLContext one(
      {.threads = 1, .keepConstants = true, .operators = {top_k(), scaled_sum()}});
  return one;
}
MLGraph imported(const MLContext& context, std::span<const std::byte> bytes) {
  MLGraphBuilder b(context);
  const auto model = onnx::import_model(b, bytes);
  return b.build(model.outputs);
}
std::vector<float> results(const MLGraph& graph) {
  MLContext c = context();
  const std::array<float, 10> in = {1, 4, 2, 3, 0, -9, 8, 7, 1, 5};
  std::vector<float> out(4);
  c.compute(graph, {{"x", in}}, {{"y", out}});
  return out;
}

}  // namespace

TEST_CASE("onnx: custom operators are written and read") {
  for (const bool open : {false, true}) {
    MLGraphBuilder b(context());
    const MLOperand x = b.input("x", {float32, {open ? MLDimension("rows") : MLDimension(2), 5}});
    const MLOperand z = b.relu(b.neg(x));
    const auto y = b.custom(top_k(), {b.sub(x, z)}, {.attributes = {{"k", 2}}, .label = "best"});
    const MLGraph graph = b.build({{"y", b.neg(y[0])}});
    const std::vector<std::byte> bytes = onnx::export_model(graph);
    onnx::Limits limits;
    const onnx::ModelProto model = onnx::read_model(bytes, limits);
    std::size_t found = 0;
    for (const onnx::Node& n : model.graph.nodes)
      found += n.domain == "test" && n.op_type == "TopK";
    CHECK(found == 1);
    CHECK(results(imported(context(), bytes)) == std::vector<float>{-4, -3, -8, -7});
    CHECK_THAT(thrown([&] { imported(MLContext({.threads = 1}), bytes); }),
               ContainsSubstring("it has no WebNN counterpart"));
  }
}

TEST_CASE("onnx: attributes of every type come back") {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {float32, {4}});
  const MLOperand y = b.custom(scaled_sum(), {x},
                               {.attributes = {{"scale", 0.5},
                                               {"offsets", {0.25, 3.0}},
                                               {"mode", "m"},
                                               {"names", {"a", "b"}},
                                               {"flag", true}},
                                .label = "s"})[0];
  const MLGraph graph = b.build({{"y", y}});
  const MLGraph again = imported(context(), onnx::export_model(graph));
  CHECK(again.graph().node(0).attributes() == graph.graph().node(0).attributes());
  CHECK(again.graph().node(0).name() == "test.ScaledSum");
}

TEST_CASE("onnx: custom operators that cannot be written") {
  const auto refused = [](const CustomPointer& o, CustomAttributes attributes) {
    MLGraphBuilder b(context());
    const MLOperand x = b.input("x", {float32, {2, 4}});
    const auto y = b.custom(o, {x}, {.attributes = std::move(attributes), .label = "l"});
    const auto other = b.custom(top_k(), {y[0]});
    const MLGraph graph = b.build({{"y", other[0]}});
    return thrown([&] { onnx::export_model(graph); });
  };
  CHECK_THAT(refused(scaled_sum(), {}),
             ContainsSubstring("another operator of its domain has version"));
  CHECK_THAT(refused(scaled_sum(), {{"scale", 0.1}}),
             ContainsSubstring("test.ScaledSum [l]: attribute scale (0.1) is not a number that a "
                               "float has"));
  CustomOperator named = *scaled_sum();
  named.name = "ScaledSum";
  CHECK_THAT(refused(custom_operator(named), {}), ContainsSubstring("its name has no period"));
}
