// Exported graphs with open dimensions take the sizes that the graphs take, and no others; numbers
// that follow from open dimensions are refused where no node computes them.
#include "tests/formats/onnx/exported.h"
#include "tests/formats/onnx/open_exports.h"

using namespace webnn;
using namespace webnn::onnx::test;
using webnn::test::thrown;

namespace {

std::string refusal(const std::function<MLOperand(MLGraphBuilder)>& f) {
  MLGraphBuilder b(webnn::test::plain_context());
  const MLGraph graph = b.build({{"y", f(b)}});
  return thrown([&] { onnx::export_model(graph); });
}
std::string refused(const std::string& what) {
  return "NotSupportedError onnx export: 1 operator cannot be expressed: " + what + ".";
}

}  // namespace

TEST_CASE("onnx export: open dimensions: files take the sizes that graphs take") {
  for (const OpenExport& c : open_exports()) {
    INFO(c.name);
    const MLContext context = webnn::test::plain_context();
    MLGraphBuilder b(context), again(context);
    const MLGraph graph = b.build(c.build(b));
    const onnx::Model model = onnx::import_model(again, onnx::export_model(graph));
    const MLGraph read = again.build(model.outputs, {.inputs = model.inputs});
    for (const OpenInputs& inputs : c.taken) {
      const auto expected = run(context, graph, inputs), results = run(context, read, inputs);
      REQUIRE(results.size() == expected.size());
      for (std::size_t i = 0; i < results.size(); ++i) {
        CHECK(results[i].shape == expected[i].shape);
        CHECK(results[i].bytes == expected[i].bytes);
      }
    }
    for (const OpenInputs& inputs : c.refused) {
      CHECK_THROWS_AS(run(context, graph, inputs), TypeError);
      CHECK_THROWS_AS(run(context, read, inputs), TypeError);
    }
  }
}

TEST_CASE("onnx export: open dimensions: padding that is rounded up is refused") {
  const auto pooled = [](MLPool2dOptions o) {
    return [o](MLGraphBuilder b) {
      MLPool2dOptions options = o;
      options.windowDimensions = {{2, 2}};
      options.label = "pool";
      return b.maxPool2d(b.input("x", {float32, {1, 1, "height", 8}}), options);
    };
  };
  // 1000 rows: sizes that follow one another have the same padding up to there.
  CHECK(refusal(pooled({.strides = {1000, 1}, .outputShapeRounding = MLRoundingType::ceil})) ==
        refused("maxPool2d [pool]: the number of its windows is rounded up, and the padding that "
                "this needs follows from dimension 2 of its input, which is open"));
  CHECK(refusal(pooled({.strides = {2, 1}, .outputSizes = {{4, 7}}})) ==
        refused("maxPool2d [pool]: its outputSizes ask for padding that follows from dimension 2 "
                "of its input, which is open"));
  CHECK(refusal(pooled({.strides = {1, 2}, .outputShapeRounding = MLRoundingType::ceil})) ==
        "nothing");
}

TEST_CASE("onnx export: open dimensions: what depends on dimensions being alike is refused") {
  CHECK(refusal([](MLGraphBuilder b) {
          return b.prelu(b.input("x", {float32, {"a", 2}}), b.input("slope", {float32, {"b", 2}}),
                         {"leaky"});
        }) == refused("prelu [leaky]: whether its input is broadcast to its slope follows from "
                      "sizes that are open"));
  CHECK(refusal([](MLGraphBuilder b) {
          return b.prelu(b.input("x", {float32, {"a", 2}}), b.input("slope", {float32, {"a", 1}}));
        }) == "nothing");
  CHECK(refusal([](MLGraphBuilder b) {
          return b.dequantizeLinear(b.input("x", {int8, {"a", 2}}),
                                    b.input("scale", {float32, {"b", 1}}),
                                    b.input("zero", {int8, {"b", 1}}), {"blocks"});
        }) == refused("dequantizeLinear [blocks]: dimension 0 of scale is open and may differ from "
                      "that of input"));
  CHECK(refusal([](MLGraphBuilder b) {
          return b.dequantizeLinear(
              b.input("x", {int8, {"a", 8}}), b.constant({float32, {1, 2}}, {1.f, 2.f}),
              b.constant({int8, {1, 2}}, std::vector<std::int8_t>{1, 2}), {"blocks"});
        }) == refused("dequantizeLinear [blocks]: its scales are for blocks along open dimensions, "
                      "and the format has no such scales"));
  CHECK(refusal([](MLGraphBuilder b) {
          return b.gatherND(b.input("x", {float32, {2, 2}}), b.input("at", {int32, {3, "k"}}),
                            {"picked"});
        }) == refused("gatherND [picked]: the last dimension of indices is open, from which the "
                      "rank of the result follows"));
}
