// Graphs with open dimensions, written as .tflite files with shape_signature and read again.
#include "tests/formats/tflite/exported.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::test;

namespace {

struct Pair {
  MLContext context = reference_context();
  MLGraph graph, again;
  std::vector<std::byte> file{};

  explicit Pair(const std::function<NamedOperands(MLGraphBuilder&)>& build) {
    MLGraphBuilder b(context), c(context);
    graph = b.build(build(b));
    file = tflite::export_model(graph);
    const tflite::Model model = tflite::import_model(c, file);
    again = c.build(model.outputs, {.inputs = model.inputs});
  }
  static std::vector<Tensor> run(MLContext context, const MLGraph& graph, const Tensor& x) {
    std::vector<Tensor> results;
    for (const auto& [name, d] : graph.computeShapes({{"x", x.shape}}))
      results.push_back({d.dataType, d.shape, std::vector<std::byte>(byte_length(d))});
    std::vector<NamedOutput> out;
    for (std::size_t i = 0; i < results.size(); ++i)
      out.push_back({graph.outputs()[i].name, results[i].bytes});
    const std::vector<NamedInput> in{{"x", InputView(x.bytes, x.shape)}};
    context.compute(graph, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
    return results;
  }
  void check(Dims shape) {
    const Tensor x = Random(5).tensor(float32, std::move(shape), -2, 2);
    const auto expected = run(context, graph, x), results = run(context, again, x);
    REQUIRE(results.size() == expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      REQUIRE(results[i].shape == expected[i].shape);
      CHECK(difference(results[i], expected[i], Tolerance{.absolute = 1e-5}) == "");
    }
  }
  /// The shape of input 0, and what is open in it.
  std::pair<Dims, std::vector<std::int32_t>> signature() const {
    const auto& graph_of = *tflite::schema::GetModel(file.data())->subgraphs()->Get(0);
    const auto& t = *graph_of.tensors()->Get(static_cast<std::uint32_t>(graph_of.inputs()->Get(0)));
    return {{t.shape()->begin(), t.shape()->end()},
            {t.shape_signature()->begin(), t.shape_signature()->end()}};
  }
};

MLOperand weights(MLGraphBuilder& b, Dims shape) {
  return b.constant({float32, shape}, Random(shape.size()).tensor(float32, shape, -1, 1).bytes);
}

}  // namespace

TEST_CASE("tflite export: open dimensions: a network with an open batch and open sizes") {
  Pair pair([](MLGraphBuilder& b) -> NamedOperands {
    const MLOperand x = b.input("x", {float32, {"batch", "height", "width", 3}});
    const MLOperand y = b.relu(b.conv2d(x, weights(b, {8, 3, 3, 3}),
                                        {.padding = {1, 1, 1, 1},
                                         .inputLayout = MLInputOperandLayout::nhwc,
                                         .filterLayout = MLConv2dFilterOperandLayout::ohwi}));
    const MLOperand mean = b.reduceMean(y, {.axes = Dims{1, 2}});
    return {{"scores", b.softmax(b.matmul(mean, weights(b, {8, 5})), 1)}, {"seen", y}};
  });
  CHECK(pair.signature().first == Dims{1, 1, 1, 3});
  CHECK(pair.signature().second == std::vector<std::int32_t>{-1, -1, -1, 3});
  pair.check({1, 4, 7, 3});
  pair.check({3, 9, 2, 3});
}

TEST_CASE("tflite export: open dimensions: what depends on sizes is refused by name") {
  const auto refused = [](const auto& f) {
    MLGraphBuilder b(reference_context());
    const MLOperand x = b.input("x", {float32, {"batch", 6}});
    const MLGraph graph = b.build({{"y", f(b, x)}});
    return thrown([&] { tflite::export_model(graph); });
  };
  CHECK(refused([](auto& b, auto& x) { return b.unsqueeze(x, {1}, {.label = "more"}); }) ==
        "NotSupportedError tflite export: input \"x\" has an open dimension, 0 (\"batch\"), and "
        "operator unsqueeze [more] computes with its size: export what prepare() returns, or give "
        "a size when the model is imported.");
  CHECK(refused([](auto& b, auto& x) {
          return b.slice(x, {0, 0}, {1, 6}, {.label = "first"});
        }) == "nothing");
}

namespace {

std::string refused(const std::function<MLOperand(MLGraphBuilder&)>& f) {
  MLGraphBuilder b(reference_context());
  const MLGraph graph = b.build({{"y", f(b)}});
  const std::string text = thrown([&] { tflite::export_model(graph); });
  const std::string before = "NotSupportedError tflite export: 1 operator cannot be expressed: ";
  return text.find(before) == 0 ? text.substr(before.size()) : text;
}

}  // namespace

TEST_CASE("tflite export: open dimensions: windows whose padding is the same at all sizes") {
  Pair pair([](MLGraphBuilder& b) -> NamedOperands {
    const MLOperand x = b.input("x", {float32, {1, 3, "height", "width"}});
    return {{"conv", b.conv2d(x, weights(b, {4, 3, 2, 3}), {.strides = {2, 5}})},
            {"pool", b.averagePool2d(x, {.windowDimensions = {{3, 1}}, .padding = {1, 1, 0, 0}})}};
  });
  for (const std::uint32_t size : {3u, 4u, 5u, 6u, 7u, 8u, 13u}) pair.check({1, 3, size, size + 1});
}

TEST_CASE("tflite export: open dimensions: padding that follows from a size is refused") {
  const std::string rest =
      ": the padding that its windows reach follows from dimension 2 of its input, which is open.";
  const auto image = [](MLGraphBuilder& b) {
    return b.input("x", {float32, {1, 2, "height", 16}});
  };
  CHECK(refused([&](auto& b) {
          return b.conv2d(image(b), weights(b, {4, 2, 3, 3}),
                          {.padding = {1, 1, 1, 1}, .strides = {2, 1}, .label = "conv"});
        }) == "conv2d [conv]" + rest);
  // At sizes that follow one another the padding is the same: the rows are few.
  CHECK(refused([&](auto& b) {
          return b.maxPool2d(image(b), {.windowDimensions = {{2, 2}},
                                        .padding = {0, 1, 0, 0},
                                        .strides = {1000, 1},
                                        .label = "pool"});
        }) == "maxPool2d [pool]" + rest);
  CHECK(refused([&](auto& b) {
          return b.averagePool2d(image(b), {.windowDimensions = {{2, 2}},
                                            .strides = {3, 1},
                                            .outputShapeRounding = MLRoundingType::ceil,
                                            .label = "pool"});
        }) == "averagePool2d [pool]" + rest);
}

TEST_CASE("tflite export: open dimensions: weights with open outputs") {
  Pair pair([](MLGraphBuilder& b) -> NamedOperands {
    const MLOperand x = b.input("x", {float32, {"n", 4}});
    return {{"y", b.gemm(weights(b, {2, 4}), x, {.bTranspose = true})},
            {"z", b.gemm(weights(b, {3, 4}), x, {.alpha = 0.5, .bTranspose = true})}};
  });
  for (const std::uint32_t n : {1u, 3u, 9u}) pair.check({n, 4});
}

TEST_CASE("tflite export: open dimensions: numbers that follow from dimensions being alike") {
  const auto input = [](MLGraphBuilder& b, const std::string& name, MLDimensions shape) {
    return b.input(name, {float32, std::move(shape)});
  };
  CHECK(refused([&](auto& b) {
          return b.conv2d(input(b, "x", {1, "channels", 8, 8}),
                          input(b, "f", {4, "channels", 3, 3}), {.label = "conv"});
        }) ==
        "conv2d [conv]: its groups follow from the channels of its input, dimension 1, which "
        "is open.");
  CHECK(refused([&](auto& b) {
          return b.conv2d(input(b, "x", {1, 3, 8, 8}), input(b, "f", {"out", 3, 3, 3}),
                          {.label = "conv"});
        }) ==
        "conv2d [conv]: its padding and groups follow from its filter, which has open "
        "dimensions.");
  CHECK(refused([&](auto& b) {
          return b.gemm(input(b, "x", {2, 3}), input(b, "w", {3, "n"}),
                        {.c = input(b, "c", {"m"}), .label = "gemm"});
        }) == "gemm [gemm]: whether c is broadcast follows from sizes that are open.");
  CHECK(refused([&](auto& b) {
          return b.slice(input(b, "x", {"n", 3}), {0, 0}, {4, 3},
                         {.strides = {{2, 1}}, .label = "slice"});
        }) ==
        "slice [slice]: TFLite's STRIDED_SLICE does not compare its ends with dimensions that "
        "are open.");
  CHECK(
      refused([&](auto& b) {
        return b.resample2d(input(b, "x", {1, 1, "n", 3}), {.sizes = {{7, 6}}, .label = "resize"});
      }) ==
      "resample2d [resize]: whether TFLite takes the same elements follows from dimension 2 "
      "of its input, which is open.");
}
