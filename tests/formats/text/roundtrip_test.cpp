// What is written is read as an equal graph, for every operator.
#include <cmath>
#include <filesystem>
#include <limits>

#include "src/graph/graph_data.h"
#include "tests/random/generator.h"
#include "tests/random/open_example.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/text.h"

using namespace webnn;
using namespace webnn::test;
namespace file = webnn::text;

namespace {

const MLContext& context() {
  static const MLContext one({.threads = 1, .backends = {"reference"}, .keepConstants = true});
  return one;
}

std::string list(const NamedOperands& all) {
  std::string s;
  for (const auto& [name, x] : all) s += name + '|';
  return s;
}

MLGraph imported(const std::string& written, const file::ImportOptions& options = {}) {
  MLGraphBuilder b(context());
  const file::Model model = file::import_model(b, written, options, "written");
  return b.build(model.outputs, {.inputs = model.inputs});
}

void check_equal(const MLGraph& graph, const MLGraph& again) {
  CHECK(again.graph() == graph.graph());
  CHECK(list(again.graph().inputs()) == list(graph.graph().inputs()));
  CHECK(list(again.graph().outputs()) == list(graph.graph().outputs()));
}

void check(const MLGraph& graph) {
  const std::string written = file::export_model(graph);
  CAPTURE(written);
  const MLGraph again = imported(written);
  check_equal(graph, again);
  CHECK(file::export_model(again) == written);
  CHECK(file::format(written) == written);

  const file::Files files = file::export_files(graph);
  file::ImportOptions options;
  if (!files.weights.empty()) options.weights = safetensors::File::from_bytes(files.weights);
  check_equal(graph, imported(files.text, options));
}

}  // namespace

TEST_CASE("round trip: every operator") {
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind)
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      CAPTURE(ops::AllOps::names[kind], seed);
      MLGraphBuilder b(context());
      const RandomGraph random = random_operator(b, kind, seed);
      check(b.build(random.outputs));
    }
}

TEST_CASE("round trip: random graphs") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    MLGraphBuilder b(context());
    const RandomGraph random = random_graph(b, seed);
    check(b.build(random.outputs));
  }
}

TEST_CASE("round trip: names of any characters, and labels") {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x:0 \"quoted\" \\ \n\r\xc3\xa9", {float32, {2}});
  const MLOperand y = b.input("x.0", {float32, {2}}), z = b.input("x_0", {float32, {2}});
  const MLOperand sum = b.add(b.add(x, y, {.label = "first \"sum\"\n"}), z, {.label = "true"});
  const MLOperand end = b.relu(sum, {.label = "last"});
  const MLGraph graph = b.build({{"2 end", end}, {"end/\xc3\xa9", end}, {"null", sum}});
  check(graph);
  const std::string written = file::export_model(graph);
  CHECK(written.find("#: \"2 end\"") != std::string::npos);
  const MLGraph again = imported(written);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < again.graph().size(); ++i)
    labels.emplace_back(again.graph().node(i).label());
  CHECK(labels == std::vector<std::string>{"first \"sum\"\n", "true", "last"});
}

TEST_CASE("round trip: numbers keep their bits") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto nan = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {float32, {1, 2, 2, 2}}), i = b.input("i", {int64, {3}}),
                  u = b.input("u", {uint64, {3}});
  NamedOperands outputs;
  const auto add = [&](const MLOperand& y) {
    outputs.push_back({"y" + std::to_string(outputs.size()), y});
  };
  for (const float v : {0.1f, 1e-45f, 3.4028235e38f, -0.0f, 16777217.0f, 0x1.fffffep-1f})
    add(b.linear(x, {.alpha = v, .beta = -v}));
  add(b.clamp(i, {.minValue = std::numeric_limits<std::int64_t>::min(),
                  .maxValue = std::numeric_limits<std::int64_t>::max()}));
  add(b.clamp(u, {.minValue = 0, .maxValue = std::numeric_limits<std::uint64_t>::max()}));
  add(b.clamp(x, {.minValue = -infinity, .maxValue = infinity}));
  add(b.clamp(x, {.minValue = -0.0, .maxValue = 5e-324}));
  for (const double v : {infinity, -infinity, nan(0x7ff8000000000000), nan(0xfff8000000000000)})
    add(b.pad(x, std::vector<std::uint32_t>{0, 0, 1, 1}, std::vector<std::uint32_t>{0, 0, 1, 0},
              {.value = v}));
  for (const float v : {0.0f, -0.0f, 1.1f, static_cast<float>(infinity), 1e-40f})
    add(b.mul(x, b.constant({float32, {}}, {v})));
  for (const std::uint16_t v : {0x0001, 0x8000, 0x3555, 0x7bff, 0x7c00, 0x7e01})
    add(b.neg(b.mul(b.cast(x, float16), b.constant({float16, {}}, std::vector<std::uint16_t>{v}))));
  add(b.add(i, b.constant(int64, std::numeric_limits<std::int64_t>::min())));
  add(b.add(u, b.constant(uint64, std::numeric_limits<std::uint64_t>::max())));
  check(b.build(outputs));
}

TEST_CASE("round trip: through files") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("webnn_text_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  MLGraphBuilder b(context());
  const MLOperand w = b.constant({float32, {2, 2}}, {1.f, 2.f, 3.f, 4.f});
  const MLOperand q = b.constant({int4, {3}}, std::vector<std::uint8_t>{0x21, 0x03});
  const MLOperand scale = b.constant({float32, {3}}, {0.5f, 1.f, 2.f});
  const MLOperand zero = b.constant({int4, {3}}, std::vector<std::uint8_t>{0, 0});
  const MLGraph graph = b.build({{"y", b.matmul(b.input("x", {float32, {1, 2}}), w)},
                                 {"d", b.dequantizeLinear(q, scale, zero)}});
  const std::string path = (folder / "net.webnn").string();
  file::export_model(graph, path);
  CHECK(std::filesystem::exists(folder / "net.safetensors"));
  const auto weights = safetensors::File::open((folder / "net.safetensors").string());
  CHECK(weights.metadata().at("rustnn.webnn.packed4") == "1");
  CHECK(weights.info("d.input").dtype == "U8");
  MLGraphBuilder again(context());
  check_equal(graph, again.build(file::import_model(again, path).outputs));
  std::filesystem::remove_all(folder);
}

TEST_CASE("round trip: a text is not written where its weights are") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("webnn_text_same_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  MLGraphBuilder b(context());
  const MLOperand w = b.constant({float32, {2, 2}}, {1.f, 2.f, 3.f, 4.f});
  const MLGraph graph = b.build({{"y", b.matmul(b.input("x", {float32, {1, 2}}), w)}});
  const std::string path = (folder / "net.safetensors").string();
  CHECK(webnn::test::thrown([&] { file::export_model(graph, path); }) ==
        "TypeError text export [" + path +
            "]: the weights of a text are beside it, in a file of this name: give the text another "
            "one, such as " +
            (folder / "net.webnn").string() + ".");
  CHECK(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST_CASE("round trip: open dimensions and operators on shapes") {
  MLGraphBuilder b(context());
  const MLGraph graph = b.build(open_example(b));
  check(graph);
  const std::string written = file::export_model(graph);
  CHECK(written.find("webnn_graph \"graph\" v2 {") == 0);
  CHECK(written.find("x: f32[dyn(\"batch\", 2147483647), 3, dyn(\"x:0 \\\"rows\\\"\", 2147483647), "
                     "4];") != std::string::npos);
  CHECK(written.find("past: f32[dyn(\"batch\", 2147483647), dyn(\"past\", 2048, 0)];") !=
        std::string::npos);
}
