// Graphs with open dimensions, written as .onnx files and read again: the outputs are those of the
// graph at every size.
#include "src/formats/onnx/model.h"
#include "tests/formats/onnx/exported.h"
#include "tests/formats/onnx/open.h"

using namespace webnn;
using namespace webnn::onnx::test;
using webnn::test::thrown;

namespace {

struct Pair {
  MLGraph graph, again;
  onnx::Model model{};
  MLContext context = webnn::test::plain_context();

  Pair(MLGraphBuilder b, const NamedOperands& outputs) : graph(b.build(outputs)) {
    MLGraphBuilder c(context);
    model = onnx::import_model(c, onnx::export_model(graph));
    again = c.build(model.outputs, {.inputs = model.inputs});
  }
  void check(const std::map<std::string, Tensor>& inputs) const {
    const auto expected = run(context, graph, inputs), results = run(context, again, inputs);
    REQUIRE(results.size() == expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      CHECK(results[i].shape == expected[i].shape);
      CHECK(results[i].bytes == expected[i].bytes);
    }
  }
};

/// The operators of a file: "Shape Cast Reshape".
std::string nodes_of(const MLGraph& graph) {
  const auto bytes = onnx::export_model(graph);
  onnx::Limits limits;
  std::string all;
  for (const onnx::Node& n : onnx::read_model(bytes, limits).graph.nodes)
    all += (all.empty() ? "" : " ") + std::string(n.op_type);
  return all;
}

MLGraphBuilder builder() { return MLGraphBuilder(webnn::test::plain_context()); }

MLOperand weights(MLGraphBuilder b, Dims shape) {
  const Tensor t = counted(shape);
  return b.constant({float32, shape}, std::span(t.as<float>(), t.size()));
}

}  // namespace

TEST_CASE("onnx export: open dimensions: inputs and outputs have their names") {
  MLGraphBuilder b = builder();
  const MLOperand x = b.input("x", {float32, {"batch", "length", 4}});
  const Pair pair(b, {{"y", b.matmul(x, weights(b, {4, 3}))}});
  CHECK((pair.model.input("x").dimensions() == MLDimensions{"batch", "length", 4}));
  CHECK((pair.model.output("y").dimensions() == MLDimensions{"batch", "length", 3}));
  CHECK(nodes_of(pair.graph) == "MatMul");
  for (const std::uint32_t length : some_sizes) pair.check({{"x", counted({2, length, 4})}});
}

TEST_CASE("onnx export: open dimensions: networks on images have a batch and sizes") {
  MLGraphBuilder b = builder();
  const MLOperand x = b.input("x", {float32, {"batch", "height", "width", 3}});
  MLOperand y = b.conv2d(x, weights(b, {8, 3, 3, 3}),
                         {.padding = {1, 1, 1, 1},
                          .strides = {2, 2},
                          .inputLayout = MLInputOperandLayout::nhwc,
                          .filterLayout = MLConv2dFilterOperandLayout::ohwi});
  y = b.relu(y);
  y = b.averagePool2d(y, {.windowDimensions = {{2, 2}},
                          .padding = {0, 1, 0, 1},
                          .layout = MLInputOperandLayout::nhwc});
  y = b.resample2d(y, {.mode = MLInterpolationMode::linear, .scales = {2, 2}, .axes = {1, 2}});
  y = b.softmax(y, 3);
  const Pair pair(b, {{"y", y}, {"mean", b.reduceMean(y, {.axes = Dims{1, 2}})}});
  for (const std::uint32_t size : {4u, 7u, 9u, 20u})
    pair.check({{"x", counted({size % 3 + 1, size, size + 3, 3})}});
}

TEST_CASE("onnx export: open dimensions: operators on shapes") {
  MLGraphBuilder b = builder();
  const MLOperand x = b.input("x", {float32, {"a", "b"}});
  const MLOperand shape = b.shape(x), a = b.dimension(x, 0), n = b.dimension(x, 1);
  const auto list = [&](const std::vector<std::uint32_t>& v) {
    return b.constant({uint32, {static_cast<std::uint32_t>(v.size())}}, v);
  };
  const MLOperand one = list({1}), zero = list({0}), zeros = list({0, 0});
  const auto as_list = [&](const MLOperand& scalar) { return b.reshape(scalar, {1}); };
  const MLOperand half = b.div(b.add(as_list(n), one), list({2}));
  const MLOperand rest = b.modulusFloor(as_list(n), list({2}));
  NamedOperands outputs{
      {"swapped", b.reshapeDynamic(x, b.reverse(shape))},
      {"flat", b.reshapeTo2d(b.unsqueeze(x, {0, 2}), {.axis = 2})},
      {"squeezed", b.squeeze(b.unsqueeze(x, {1}), {.axes = Dims{1}})},
      {"rank", b.mul(b.rank(x), a)},
      {"places", b.cast(b.range(b.constant(uint32, 0), n, b.constant(uint32, 1)), float32)},
      {"head", b.sliceDynamic(x, zeros, b.concat({as_list(a), half}, 0), {.strides = {{1, 1}}})},
      {"padded", b.padDynamic(x, zeros, b.concat({zero, rest}, 0), {.value = 7})},
      {"tiled", b.tileDynamic(x, b.concat({as_list(a), one}, 0))},
  };
  std::vector<MLOperand> parts =
      b.splitDynamic(b.concat({x, x}, 1), b.concat({as_list(n), as_list(n)}, 0), {.axis = 1});
  outputs.push_back({"part", b.sub(parts[0], b.mul(parts[1], parts[1]))});
  const Pair pair(b, outputs);
  for (const auto& [rows, columns] : {std::pair(1u, 1u), {2, 3}, {5, 2}, {7, 16}})
    pair.check({{"x", counted({rows, columns})}});
}

TEST_CASE("onnx export: open dimensions: images are resized to computed sizes") {
  MLGraphBuilder b = builder();
  const MLOperand x = b.input("x", {float32, {1, 2, "height", "width"}});
  const MLOperand small = b.maxPool2d(x, {.windowDimensions = {{2, 2}}, .strides = {2, 2}});
  const MLOperand sizes = b.slice(b.shape(x), {2}, {2});
  NamedOperands outputs;
  for (const auto mode : {MLInterpolationMode::linear, MLInterpolationMode::nearest_neighbor}) {
    const std::string name(name_of(mode));
    outputs.push_back({name, b.resample2dDynamic(small, {.mode = mode, .sizes = sizes})});
    outputs.push_back({name + " reversed",
                       b.resample2dDynamic(small, {.mode = mode, .sizes = sizes, .axes = {3, 2}})});
  }
  outputs.push_back({"twice", b.resample2d(small, {.scales = {2, 3}})});
  const Pair pair(b, outputs);
  for (const auto& [height, width] : {std::pair(2u, 2u), {5, 8}, {17, 6}, {64, 33}})
    pair.check({{"x", counted({1, 2, height, width})}});
}

TEST_CASE("onnx export: open dimensions: indices are limited to the size of a run") {
  MLGraphBuilder b = builder();
  const MLOperand x = b.input("x", {float32, {"rows", 3}});
  const MLOperand places = b.input("places", {int32, {"count"}});
  const Pair pair(b, {{"y", b.gather(x, places)}});
  for (const std::uint32_t rows : {1u, 4u, 9u})
    pair.check({{"x", counted({rows, 3})},
                {"places", webnn::test::tensor(int32, {5}, {-9, -1, 0, 3, 100})}});
}

TEST_CASE("onnx export: open dimensions: parts of equal size, and unknown ranks") {
  MLGraphBuilder b = builder();
  const MLOperand x = b.input("x", {float32, {"n", 4, 1}});
  const auto parts = b.split(x, 2);
  const Pair pair(b, {{"difference", b.sub(parts[0], parts[1])}, {"squeezed", b.squeeze(x)}});
  for (const std::uint32_t n : {2u, 4u, 10u}) pair.check({{"x", counted({n, 4, 1})}});
}

TEST_CASE("onnx export: open dimensions: what depends on sizes is refused by name") {
  const auto refused = [](auto f) {
    MLGraphBuilder b = builder();
    const MLOperand x = b.input("x", {float32, {"batch", "n"}});
    const MLGraph graph = b.build({{"y", f(b, x)}});
    return thrown([&] { onnx::export_model(graph); });
  };
  CHECK(refused(
            [](auto b, auto x) { return b.reduceSum(x, {.axes = Dims{}, .label = "nothing"}); }) ==
        "NotSupportedError onnx export: operator reduceSum [nothing]: its nodes in ONNX depend on "
        "sizes that are open.");
  // Only one size is right.
  CHECK(refused([](auto b, auto x) {
          return b.matmul(x, weights(b, {4, 3}));
        }) ==
        "NotSupportedError onnx export: no two sizes of dimension \"n\" were found that all "
        "operators accept: give it a size when the model is imported, or export what prepare() "
        "returns.");
}
