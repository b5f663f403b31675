// A graph that goes through a file computes the same bits, for every operator and in both schemas.
#include <filesystem>

#include "tests/random/generator.h"
#include "tests/random/open_example.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/graphinfo.h"

using namespace webnn;
using namespace webnn::test;

namespace {

const MLContext& context() {
  static const MLContext one({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  return one;
}

std::vector<std::vector<std::byte>> results(const MLGraph& graph, const Inputs& inputs) {
  std::vector<NamedInput> in;
  std::vector<NamedOutput> out;
  std::vector<std::vector<std::byte>> all;
  for (const auto& [name, d] : graph.inputs()) in.push_back({name, inputs.at(name).bytes});
  for (const auto& [name, d] : graph.outputs()) all.emplace_back(byte_length(d));
  for (std::size_t i = 0; i < all.size(); ++i) out.push_back({graph.outputs()[i].name, all[i]});
  MLContext(context()).compute(graph, std::span<const NamedInput>(in),
                               std::span<const NamedOutput>(out));
  return all;
}

MLGraph imported(const std::string& json, const graphinfo::ImportOptions& options = {}) {
  MLGraphBuilder b(context());
  const graphinfo::Model model = graphinfo::import_model(b, json, options, "file");
  return b.build(model.outputs, {.inputs = model.inputs});
}

bool has(const Graph& graph, std::size_t kind) {
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (graph.node(i).kind() == kind) return true;
  return false;
}

/// Whether the schema can express it.
bool check(const MLGraph& graph, const Inputs& inputs, graphinfo::Schema schema) {
  std::string json;
  try {
    json = graphinfo::export_model(graph, {.schema = schema});
  } catch (const NotSupportedError& e) {
    // An operand of four bits cannot have a second name; and there is no bfloat16 or float8e4m3.
    const std::string said = e.what();
    const auto says = [&](const char* part) { return said.find(part) != std::string::npos; };
    return schema == graphinfo::Schema::v2026 &&
           (says("a second name") || says("the schema of 2026 has no bfloat16") ||
            says("the schema of 2026 has no float8e4m3"));
  }
  CAPTURE(json);
  const MLGraph again = imported(json);
  CHECK(again.inputs() == graph.inputs());
  CHECK(again.outputs() == graph.outputs());
  CHECK(results(again, inputs) == results(graph, inputs));
  // With operators that the exporter added, build() may give all of them another order.
  const std::string second = graphinfo::export_model(again, {.schema = schema});
  CHECK(graphinfo::export_model(imported(second), {.schema = schema}) == second);
  if (again.graph().size() == graph.graph().size()) CHECK(second == json);

  const graphinfo::Files files = graphinfo::export_files(graph, {.schema = schema});
  graphinfo::ImportOptions options;
  if (!files.weights.empty()) options.weights = safetensors::File::from_bytes(files.weights);
  CHECK(graphinfo::export_model(imported(files.json, options), {.schema = schema}) == second);
  return true;
}

/// What only the schema of 2026 has.
bool is_new(std::string_view op) {
  for (const char* name :
       {"cumulativeSum", "dequantizeLinear", "gatherND", "isInfinite", "isNaN", "logicalAnd",
        "logicalOr", "logicalXor", "modulusFloor", "modulusTruncate", "notEqual", "quantizeLinear",
        "reverse", "roundEven", "scatterElements", "scatterND", "tile"})
    if (op == name) return true;
  return false;
}

}  // namespace

TEST_CASE("round trip: every operator") {
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind) {
    int in_2023 = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      CAPTURE(ops::AllOps::names[kind], seed);
      MLGraphBuilder b(context());
      const RandomGraph random = random_operator(b, kind, seed);
      const MLGraph graph = b.build(random.outputs);
      CHECK(check(graph, random.inputs, graphinfo::Schema::v2026));
      if (has(graph.graph(), kind))
        in_2023 += check(graph, random.inputs, graphinfo::Schema::v2023);
    }
    CAPTURE(ops::AllOps::names[kind]);
    CHECK((in_2023 == 0) == is_new(ops::AllOps::names[kind]));
  }
}

TEST_CASE("round trip: random graphs") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    MLGraphBuilder b(context());
    const RandomGraph random = random_graph(b, seed);
    CHECK(check(b.build(random.outputs), random.inputs, graphinfo::Schema::v2026));
  }
}

TEST_CASE("round trip: images of one layout, of both") {
  for (const bool mixed : {false, true}) {
    MLGraphBuilder b(context());
    const MLOperand x = b.input("x", {float32, {1, 4, 5, 2}});
    using enum MLInputOperandLayout;
    const MLOperand f = b.constant({float32, {3, 1, 1, 2}}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
    MLOperand y =
        b.conv2d(x, f, {.inputLayout = nhwc, .filterLayout = MLConv2dFilterOperandLayout::ohwi});
    if (mixed) y = b.averagePool2d(y, {.windowDimensions = {2, 2}});
    const MLGraph graph = b.build({{"y", y}});
    const std::string json = graphinfo::export_model(graph);
    CHECK((json.find("\"input_operand_layout\": \"kNhwc\"") != std::string::npos) == !mixed);
    CHECK((json.find("\"transpose\"") != std::string::npos) == mixed);
    check(graph, {{"x", Random(1).tensor(float32, {1, 4, 5, 2})}}, graphinfo::Schema::v2026);
    if (!mixed) CHECK(imported(json).graph() == graph.graph());
  }
}

TEST_CASE("round trip: open dimensions and operators on shapes") {
  MLGraphBuilder b(context());
  const MLGraph graph = b.build(open_example(b));
  const std::string json = graphinfo::export_model(graph);
  CAPTURE(json);
  const MLGraph again = imported(json);
  const std::string second = graphinfo::export_model(again);
  CHECK(graphinfo::export_model(imported(second)) == second);
  const graphinfo::Files files = graphinfo::export_files(graph);
  CHECK(graphinfo::export_model(imported(files.json)) == second);
  CHECK(json.find("{\"name\": \"past\", \"min_size\": 0, \"max_size\": 2048}") !=
        std::string::npos);
  for (const std::uint32_t rows : {1u, 2u, 5u}) {
    for (const std::uint32_t past : {0u, 3u}) {
      CAPTURE(rows, past);
      const Tensor x = Random(rows).tensor(float32, {2, 3, rows, 4});
      const std::vector<float> cache(std::size_t{2} * past, 0.5f);
      const auto run = [&](const MLGraph& g) {
        std::vector<std::vector<std::byte>> all;
        std::vector<NamedOutput> out;
        const NamedDescriptors outputs =
            g.computeShapes({{"x", {2, 3, rows, 4}}, {"past", {2, past}}});
        for (const auto& [name, d] : outputs) all.emplace_back(byte_length(d));
        for (std::size_t i = 0; i < all.size(); ++i) out.push_back({outputs[i].name, all[i]});
        const Dims x_shape{2, 3, rows, 4}, cache_shape{2, past};
        const std::vector<NamedInput> in{
            {"x", InputView(x.bytes, std::span<const std::uint32_t>(x_shape))},
            {"past", InputView(cache, std::span<const std::uint32_t>(cache_shape))}};
        MLContext(context()).compute(g, in, out);
        return std::pair(outputs, all);
      };
      CHECK(run(again) == run(graph));
    }
  }
  CHECK(thrown([&] { graphinfo::export_model(graph, {.schema = graphinfo::Schema::v2023}); })
            .find("NotSupportedError graphinfo export: input \"x\" has an open dimension, 0 "
                  "(\"batch\")") == 0);
}

TEST_CASE("round trip: images with open sizes") {
  using enum MLInputOperandLayout;
  for (const MLInputOperandLayout layout : {nchw, nhwc}) {
    MLGraphBuilder b(context());
    const bool first = layout == nchw;
    const MLDimensions shape = first ? MLDimensions{"batch", "channels", "height", "width"}
                                     : MLDimensions{"batch", "height", "width", "channels"};
    const MLOperand x = b.input("x", {float32, shape});
    const MLOperand f = b.constant({float32, {4, 1, 1, 1}}, {1.f, 2.f, 3.f, 4.f});
    const MLOperand y = b.conv2d(x, f, {.groups = 4, .inputLayout = layout});
    const MLPool2dOptions pool{.windowDimensions = {{2, 2}},
                               .strides = {2, 2},
                               .layout = layout,
                               .outputShapeRounding = MLRoundingType::ceil};
    const MLGraph graph =
        b.build({{"y", b.maxPool2d(y, pool)}, {"z", b.averagePool2d(x, {.layout = layout})}});
    const std::string json = graphinfo::export_model(graph);
    CAPTURE(json);
    const MLGraph again = imported(json);
    for (const std::uint32_t size : {4u, 5u, 7u}) {
      const Dims sizes = first ? Dims{2, 4, size, 3} : Dims{2, size, 3, 4};
      CHECK(again.computeShapes({{"x", sizes}}) == graph.computeShapes({{"x", sizes}}));
    }
    CHECK(thrown([&] { again.computeShapes({{"x", Dims{2, 3, 3, 3}}}); }).starts_with("TypeError"));
  }
}

TEST_CASE("round trip: an image of any rank, and filters that only look depthwise") {
  for (const MLInputOperandLayout layout :
       {MLInputOperandLayout::nchw, MLInputOperandLayout::nhwc}) {
    MLGraphBuilder b(context());
    const MLOperand x = b.squeeze(b.input("x", {float32, {"a", "b", "c", "d", 1}}));
    const MLOperand f =
        b.constant({float32, {2, 1, 2, 2}}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f});
    const MLGraph graph = b.build({{"y", b.conv2d(x, f, {.groups = 2, .inputLayout = layout})}});
    const std::string json = graphinfo::export_model(graph);
    CAPTURE(json);
    const MLGraph again = imported(json);
    const bool first = layout == MLInputOperandLayout::nchw;
    const Dims shape = first ? Dims{2, 2, 5, 6, 1} : Dims{2, 5, 6, 2, 1};
    const Tensor in = Random(1).tensor(float32, shape);
    const auto run = [&](const MLGraph& g) {
      std::vector<float> y(element_count(g.computeShapes({{"x", shape}})[0].descriptor.shape));
      const std::vector<NamedInput> all{
          {"x", InputView(in.bytes, std::span<const std::uint32_t>(shape))}};
      const std::vector<NamedOutput> out{{"y", y}};
      MLContext(context()).compute(g, all, out);
      return y;
    };
    CHECK(run(again) == run(graph));
  }
}

TEST_CASE("round trip: names, labels, and one operand as two outputs") {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x:0 \"\n\xc3\xa9", {float32, {2}});
  const MLOperand y = b.relu(x, {.label = "a \"label\""});
  const MLGraph graph = b.build({{"first", y}, {"second", y}});
  const MLGraph again = imported(graphinfo::export_model(graph));
  CHECK(again.inputs() == graph.inputs());
  CHECK(again.outputs() == graph.outputs());
  CHECK(again.graph().node(0).label() == "a \"label\"");
  MLGraphBuilder c(context());
  const MLGraph wrong = c.build({{"y", c.relu(c.input("\xff", {float32, {2}}))}});
  CHECK(thrown([&] { graphinfo::export_model(wrong); }).find("is not UTF-8") != std::string::npos);
}

TEST_CASE("round trip: all that the schema of 2023 cannot express is named") {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {int64, {4, 4}});
  const MLOperand y =
      b.slice(b.tile(x, {2, 1}, {.label = "twice"}), {0, 0}, {4, 4}, {.strides = {2, 1}});
  const MLGraph graph = b.build({{"y", y}, {"z", b.clamp(x, {.minValue = 16777217})}});
  const std::string message =
      thrown([&] { graphinfo::export_model(graph, {.schema = graphinfo::Schema::v2023}); });
  CHECK(message.find("NotSupportedError graphinfo export: 3 operators or operands cannot be "
                     "expressed: ") == 0);
  CHECK(message.find("tile [twice]: the schema of 2023 has no such operation") !=
        std::string::npos);
  CHECK(message.find("slice: strides[0] is 2; the schema of 2023 has no strides") !=
        std::string::npos);
  CHECK(message.find("clamp: minValue (16777217) does not fit a float") != std::string::npos);
}

TEST_CASE("round trip: neither schema has bfloat16 and float8e4m3") {
  for (const MLOperandDataType type : {bfloat16, float8e4m3})
    for (const auto& [schema, year] : {std::pair(graphinfo::Schema::v2023, std::string("2023")),
                                       {graphinfo::Schema::v2026, "2026"}}) {
      MLGraphBuilder b(context());
      const MLGraph graph = b.build({{"y", b.identity(b.input("x", {type, {2}}))}});
      const std::string message =
          thrown([&] { graphinfo::export_model(graph, {.schema = schema}); });
      CHECK(message.find("an operand: the schema of " + year + " has no " +
                         std::string(name_of(type))) != std::string::npos);
    }
}

TEST_CASE("round trip: through files") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("webnn_graphinfo_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  MLGraphBuilder b(context());
  const MLOperand w = b.constant({float32, {4, 2}}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f});
  const MLGraph graph = b.build({{"y", b.matmul(b.input("x", {float32, {1, 4}}), w)}});
  const std::string path = (folder / "net.json").string();
  graphinfo::export_model(graph, path);
  CHECK(std::filesystem::exists(folder / "net.safetensors"));
  MLGraphBuilder again(context());
  CHECK(again.build(graphinfo::import_model(again, path).outputs).graph() == graph.graph());
  std::filesystem::remove_all(folder);
}
