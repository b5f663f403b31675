// What is in exported files: names, constants, the file of external data; and what cannot be
// written.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "src/formats/onnx/export/lower.h"
#include "src/formats/onnx/model.h"
#include "tests/formats/onnx/exported.h"
#include "tests/support/catch.h"
#include "tests/support/quantize.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::onnx::test;
using webnn::onnx::ElementType;
using webnn::onnx::ModelProto;
using webnn::test::thrown;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("webnn_onnx_export_" + std::to_string(getpid()));
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  auto files() const { return std::distance(fs::directory_iterator(path), {}); }
};

/// A model's messages, with the bytes that they are views of.
struct Messages {
  std::vector<std::byte> bytes;
  ModelProto model;

  explicit Messages(std::vector<std::byte> file) : bytes(std::move(file)) {
    onnx::Limits limits;
    model = onnx::read_model(bytes, limits);
  }
  explicit Messages(const MLGraph& graph) : Messages(onnx::export_model(graph)) {}

  /// "Conv conv1, Relu relu"
  std::string nodes() const {
    std::string all;
    for (const onnx::Node& n : model.graph.nodes)
      all += (all.empty() ? "" : ", ") + std::string(n.op_type) + ' ' + std::string(n.name);
    return all;
  }
  const onnx::Tensor& tensor(std::string_view name) const {
    for (const onnx::Tensor& t : model.graph.initializers)
      if (t.name == name) return t;
    throw std::runtime_error("there is no tensor " + std::string(name));
  }
};

MLOperand ones(MLGraphBuilder b, const Dims& shape, float v = 1) {
  const std::vector<float> values(element_count(shape), v);
  return b.constant({float32, shape}, std::as_bytes(std::span(values)));
}

/// x * weights + bias, where the weights have 64 x n elements.
MLGraph layer(std::uint32_t n) {
  MLGraphBuilder b(plain());
  const MLOperand x = b.input("x", {float32, {1, 64}});
  return b.build({{"y", b.gemm(x, ones(b, {64, n}, 2), {.c = ones(b, {n}), .label = "dense"})}});
}

}  // namespace

TEST_CASE("onnx export: names and labels survive") {
  MLGraphBuilder b(plain());
  const MLOperand x = b.input("an image", {float32, {1, 4, 4, 3}});
  const MLOperand y = b.conv2d(x, ones(b, {2, 1, 1, 3}),
                               {.inputLayout = MLInputOperandLayout::nhwc,
                                .filterLayout = MLConv2dFilterOperandLayout::ohwi,
                                .label = "conv"});
  const MLOperand z = b.relu(b.relu(y, {.label = "act"}), {.label = "act"});
  const Messages m(b.build({{"first", z}, {"second", z}, {"in", b.identity(x)}}));
  CHECK(m.nodes() ==
        "Transpose conv/Transpose, Conv conv, Relu act, Relu act_1, Transpose act/Transpose, "
        "Identity Identity, Identity Identity_1");
  CHECK(m.model.graph.inputs.at(0).name == "an image");
  CHECK(m.model.graph.outputs.at(0).name == "first");
  CHECK(m.model.graph.outputs.at(1).name == "second");
  CHECK(m.tensor("conv.filter").dims == std::vector<std::int64_t>{2, 3, 1, 1});
  CHECK(m.model.opsets.at(0).version == 21);
}

TEST_CASE("onnx export: a label is that of an operator of WebNN again") {
  MLGraphBuilder b(plain());
  const MLOperand x = b.input("x", {float32, {2, 3}});
  const MLGraph graph = b.build({{"y", b.softmax(x, 1, {.label = "scores"})}});
  const Read again = read(onnx::export_model(graph));
  CHECK(again.graph.graph().node(0).label() == "scores");
}

TEST_CASE("onnx export: constants in a model are used where they are") {
  const Folder folder;
  for (const std::uint32_t n : {1u, 3u, 16u, 300u, 70000u}) {
    const std::string path = folder / "m.onnx";
    onnx::export_model(layer(n), path);
    CHECK(folder.files() == 1);
    MLGraphBuilder b(plain());
    // No memory for copies.
    const onnx::Model model = onnx::import_model(b, path, {.max_bytes = 64});
    CHECK(model.output("y").shape() == Dims{1, n});
  }
}

TEST_CASE("onnx export: many constants are in a file beside the model") {
  const Folder folder;
  const std::string path = folder / "m.onnx";
  const MLGraph graph = layer(20000);  // 5.12 MB of weights and 80 kB of bias
  onnx::export_model(graph, path, {.external_above = 1 << 20});
  CHECK(folder.files() == 2);
  CHECK(fs::file_size(path) < 2000);
  CHECK(fs::file_size(path + ".data") >= 5200000);
  MLGraphBuilder b(plain());
  const onnx::Model model = onnx::import_model(b, path, {.max_bytes = 0});
  const MLGraph again = b.build(model.outputs);
  CHECK(again.graph() == graph.graph());
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  const Messages m({bytes.begin(), bytes.end()});
  const onnx::ExternalData data = onnx::read_external_data(m.tensor("dense.b"));
  CHECK(data.location == "m.onnx.data");
  CHECK(std::stoull(std::string(data.offset)) % 4096 == 0);
  CHECK(data.length == "5120000");
  CHECK(std::stoull(std::string(onnx::read_external_data(m.tensor("dense.c")).offset)) % 64 == 0);

  fs::remove(path);
  fs::remove(path + ".data");
  fs::create_directory(path);
  CHECK(test::thrown([&] {
          onnx::export_model(graph, path, {.external_above = 1 << 20});
        }).starts_with("OperationError onnx export"));
  CHECK(!fs::exists(path + ".data"));
  fs::remove(path);
  onnx::export_model(graph, path, {.external_above = 1 << 20});
  const onnx::Files files = onnx::export_files(graph, "m.onnx.data", {.external_above = 1 << 20});
  CHECK(files.model == m.bytes);
  CHECK(files.data.size() == fs::file_size(path + ".data"));
  CHECK(onnx::export_files(graph, "m.onnx.data").data.empty());
}

TEST_CASE("onnx export: what the system refuses is said with its reason") {
  const Folder folder;
  const MLGraph graph = layer(20000);
  const std::string nowhere = folder / "no/such.onnx";
  CHECK(thrown([&] { onnx::export_model(graph, nowhere); }) ==
        "OperationError onnx export [" + nowhere +
            "]: the file cannot be written: No such file or directory.");
  CHECK(thrown([&] { onnx::export_model(graph, nowhere, {.external_above = 0}); }) ==
        "OperationError onnx export [" + nowhere +
            "]: the file cannot be written: No such file or directory.");
  if (fs::exists("/dev/full"))
    CHECK(thrown([&] { onnx::export_model(graph, "/dev/full"); }) ==
          "OperationError onnx export [/dev/full]: the file cannot be written: No space left on "
          "device.");
  CHECK(folder.files() == 0);
}

TEST_CASE("onnx export: everything that cannot be expressed is named at once") {
  MLGraphBuilder b(plain());
  const MLOperand x = b.input("\xff", {uint64, {2}});
  const MLOperand y = b.pow(x, x, {.label = "power"});
  const MLOperand image = b.reshape(b.expand(x, {1000, 2}), {1, 1, 40, 50});
  const MLOperand n = b.identity(b.input("n", {float32, {1}}));
  const MLGraph graph = b.build({{"y", y}, {"z", b.maxPool2d(image)}, {"n", n}});
  CHECK(thrown([&] { onnx::export_model(graph); }) ==
        "NotSupportedError onnx export: 4 operators or inputs or outputs cannot be expressed: "
        "input \"\\xff\": its "
        "name is not UTF-8; pow [power]: ONNX's Pow does not take uint64; maxPool2d: ONNX's "
        "MaxPool does not take uint64, and its window [40, 50] has more than 1024 elements; output "
        "\"n\": an input has that name, which ONNX does not allow.");
}

TEST_CASE("onnx export: indices are limited once, and not where they are within the range") {
  MLGraphBuilder b(plain());
  const MLOperand x = b.input("x", {float32, {5}}), i = b.input("i", {int32, {3}});
  const std::vector<std::int32_t> places{-5, 4, 0};
  const MLOperand known = b.constant({int32, {3}}, std::as_bytes(std::span(places)));
  const MLGraph graph = b.build({{"y", b.gather(x, i)}, {"z", b.gather(x, known)}});
  CHECK(Messages(graph).nodes() == "Clip Clip, Gather Gather, Gather Gather_1");
  const Read again = read(onnx::export_model(graph));
  CHECK(Messages(again.graph).nodes() == "Clip Clip, Gather Gather, Gather Gather_1");
}

TEST_CASE("onnx export: quantized tensors keep their elements, scales along an axis and blocks") {
  MLGraphBuilder b(plain());
  const auto dequantized = [&](MLOperandDataType type, const Dims& shape, const Dims& scale) {
    const std::vector<std::byte> elements(byte_length({type, shape}), std::byte{0x21});
    const std::vector<std::byte> zeros(byte_length({type, scale}));
    return b.dequantizeLinear(b.constant({type, shape}, elements), ones(b, scale),
                              b.constant({type, scale}, zeros));
  };
  const MLOperand x = b.input("x", {float32, {4, 8}});
  MLOperand y = x;
  for (const Dims& scale : {Dims{1, 1}, Dims{4, 1}, Dims{4, 2}})
    for (const MLOperandDataType type : {int8, uint4})
      y = b.add(y, dequantized(type, {4, 8}, scale));
  const Messages m(b.build({{"y", y}}));
  std::string all;
  for (const onnx::Node& n : m.model.graph.nodes) {
    if (n.op_type != "DequantizeLinear") continue;
    all += onnx::name_of_type(m.tensor(n.inputs[0]).type) + ' ' +
           std::to_string(m.tensor(n.inputs[1]).dims.size());
    for (const onnx::Attribute& a : n.attributes)
      all += ' ' + std::string(a.name) + ' ' + std::to_string(onnx::integer_of(a));
    all += '\n';
  }
  CHECK(all ==
        "INT8 0\nUINT4 0\nINT8 1 axis 0\nUINT4 1 axis 0\nINT8 2 axis 1 block_size 4\n"
        "UINT4 2 axis 1 block_size 4\n");
}

TEST_CASE("onnx export: the page names the nodes that are written") {
  const auto helps = [](std::string_view op) {
    for (const char* other :
         {"Cast", "Clip", "Concat", "Expand", "Identity", "Max", "Min", "Reshape", "Transpose"})
      if (op == other) return true;
    return false;
  };
  const auto rows = onnx::exporter::lowerings();
  REQUIRE(rows.size() == ops::AllOps::size);
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind) {
    const auto& [op, nodes, note] = rows[kind];
    CHECK(op == ops::AllOps::names[kind]);
    const std::string list = ", " + std::string(nodes) + ",";
    bool found = false;
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
      MLGraphBuilder b(plain());
      std::optional<Messages> m;
      const MLGraph graph = b.build(webnn::test::random_operator(b, kind, seed).outputs);
      if (graph.graph().size() != 1 || graph.graph().node(0).kind() != kind) continue;
      try {
        m.emplace(graph);
      } catch (const NotSupportedError&) { continue; }
      for (const onnx::Node& n : m->model.graph.nodes) {
        const bool named = list.find(", " + std::string(n.op_type) + ",") != std::string::npos;
        found = found || named;
        const std::string words = ' ' + std::string(note) + ' ';
        const std::size_t at = words.find(' ' + std::string(n.op_type));
        INFO(op << " is written with " << n.op_type);
        CHECK((named || helps(n.op_type) || at != std::string::npos));
      }
    }
    INFO(op);
    CHECK(found);
  }
}

TEST_CASE("onnx export: between images of the layout nhwc nothing is transposed") {
  using namespace webnn::test;
  MLGraphBuilder b(plain());
  const Scale scale{0.5f, 3};
  const auto conv = [&](const MLOperand& x, std::uint32_t in) {
    const std::vector<std::int8_t> weights(4 * in, 1);
    const MLOperand filter = dequantized(b, b.constant({int8, {4, 1, 1, in}}, weights), {0.25f, 0});
    const MLOperand y = b.conv2d(dequantized(b, x, scale), filter,
                                 {.inputLayout = MLInputOperandLayout::nhwc,
                                  .filterLayout = MLConv2dFilterOperandLayout::ohwi});
    return quantized(b, b.relu(y), scale, int8);
  };
  const MLOperand first = conv(b.input("x", {int8, {1, 3, 3, 2}}), 2), second = conv(first, 4);
  const MLOperand sum = b.add(dequantized(b, first, scale), dequantized(b, second, scale));
  const Messages m(b.build({{"y", quantized(b, sum, scale, int8)}}));
  std::size_t transposes = 0;
  for (std::size_t i = 0; i < m.model.graph.nodes.size(); ++i) {
    const onnx::Node& n = m.model.graph.nodes[i];
    transposes += n.op_type == "Transpose";
    if (n.op_type != "Conv") continue;
    // Quantized operators are recognized by DequantizeLinear of both operands.
    for (std::size_t k = 0; k < 2; ++k) {
      std::string_view made = "nothing";
      for (const onnx::Node& other : m.model.graph.nodes)
        if (other.outputs[0] == n.inputs[k]) made = other.op_type;
      CHECK(made == "DequantizeLinear");
    }
  }
  CHECK(transposes == 2);  // the input and the output
}
