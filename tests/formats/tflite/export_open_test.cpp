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
