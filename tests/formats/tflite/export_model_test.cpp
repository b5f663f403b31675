#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/formats/tflite/exported.h"

using namespace webnn;
using namespace webnn::test;
namespace schema = webnn::tflite::schema;

namespace {

using B = MLGraphBuilder;

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> chars((std::istreambuf_iterator<char>(file)), {});
  const auto bytes = std::as_bytes(std::span(chars));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> again(std::span<const std::byte> model) {
  B b(reference_context());
  const auto imported = tflite::import_model(b, model, {.unknown_dimension = 1});
  return tflite::export_model(b.build(imported.outputs));
}

}  // namespace

TEST_CASE("exported: names, signature, description, version") {
  B b(reference_context());
  const MLOperand x = b.input("first \xc3\xa9", {float32, {2, 3}}),
                  y = b.input("second", {float32, {3}});
  const MLOperand sum = b.add(x, y, {.label = "the sum"});
  const auto bytes = tflite::export_model(
      b.build({{"same", sum}, {"twice", b.identity(sum)}, {"copy", b.identity(x)}}),
      {.description = "a test"});
  CHECK(schema::ModelBufferHasIdentifier(bytes.data()));
  const auto* model = schema::GetModel(bytes.data());
  CHECK(model->version() == 3);
  CHECK(model->description()->str() == "a test");
  const auto* graph = model->subgraphs()->Get(0);
  const auto* signature = model->signature_defs()->Get(0);
  CHECK(signature->signature_key()->str() == "serving_default");
  const auto name = [&](auto index) {
    return graph->tensors()->Get(static_cast<unsigned>(index))->name()->str();
  };
  REQUIRE(signature->inputs()->size() == 2);
  REQUIRE(signature->outputs()->size() == 3);
  for (unsigned i = 0; i < 2; ++i) {
    const std::string expected = i == 0 ? "first \xc3\xa9" : "second";
    CHECK(name(graph->inputs()->Get(i)) == expected);
    CHECK(signature->inputs()->Get(i)->name()->str() == expected);
  }
  for (unsigned i = 0; i < 3; ++i) {
    const char* const expected[] = {"same", "twice", "copy"};
    CHECK(name(graph->outputs()->Get(i)) == expected[i]);
    CHECK(signature->outputs()->Get(i)->name()->str() == expected[i]);
  }
  const auto* metadata = model->metadata()->Get(0);
  CHECK(metadata->name()->str() == "min_runtime_version");
  const auto* version = model->buffers()->Get(metadata->buffer())->data();
  REQUIRE(version->size() == 16);
  CHECK(std::string(reinterpret_cast<const char*>(version->data())) == "2.1.0");
  CHECK(model->buffers()->Get(0)->data() == nullptr);
}

TEST_CASE("exported: tensors have names of their own, results those of their operators") {
  B b(reference_context());
  const MLOperand x = b.input("x", {float32, {3}});
  const MLOperand y = b.softplus(b.softplus(x, {.label = "twice"}), {.label = "twice"});
  const auto bytes = tflite::export_model(b.build({{"twice", b.abs(b.neg(y, {.label = "x"}))}}));
  const auto* graph = schema::GetModel(bytes.data())->subgraphs()->Get(0);
  std::set<std::string> names;
  for (const auto* tensor : *graph->tensors()) CHECK(names.insert(tensor->name()->str()).second);
  // The label of an operator that is cut off at names its result.
  B part(reference_context());
  B other(reference_context());
  const MLOperand z = other.input("z", {float32, {3}});
  const auto labeled = tflite::export_model(
      other.build({{"end", other.abs(other.softplus(z, {.label = "middle"}))}}));
  const auto cut = tflite::import_model(part, labeled, {.outputs = {"middle"}});
  const Tensor input = tensor(float32, {3}, {-1, 0, 2});
  const auto result = computed(part.context(), part.build(cut.outputs), std::vector{input});
  CHECK(difference(result[0], tensor(float32, {3}, {0.31326169, 0.69314718, 2.12692801}),
                   tolerance_of("softplus", float32)) == "");
}

TEST_CASE("exported: constants are aligned to 16 bytes, and equal ones share a buffer") {
  B b(reference_context());
  const MLOperand x = b.input("x", {float32, {3}});
  MLOperand y = x;
  for (int i = 0; i < 3; ++i) y = b.add(y, b.constant<float>({float32, {3}}, {1, 2, 3}));
  y = b.mul(y, b.constant<float>({float32, {3}}, {4, 5, 6}));
  const auto bytes = tflite::export_model(b.build({{"y", y}}));
  const auto* model = schema::GetModel(bytes.data());
  CHECK(model->buffers()->size() == 4);  // the empty one, two constants, the version
  for (const auto* buffer : *model->buffers()) {
    if (!buffer->data()) continue;
    const auto at = reinterpret_cast<const std::byte*>(buffer->data()->data()) - bytes.data();
    CHECK(at % 16 == 0);
  }
}

TEST_CASE("exported: what TFLite cannot express is listed in one error") {
  const auto refused = [](auto f) {
    B b(reference_context());
    const MLGraph graph = b.build(f(b));
    return thrown([&] { tflite::export_model(graph); });
  };
  CHECK(refused([](B& b) {
          const MLOperand x = b.input("x", {float16, {2, 3}}), n = b.input("n", {uint64, {4}});
          const MLOperand y = b.relu(b.gelu(x, {.label = "middle"}));
          return NamedOperands{{"y", y}, {"z", b.add(n, n)}};
        }) ==
        "NotSupportedError tflite export: 3 operators or inputs cannot be expressed: "
        "gelu [middle]: TFLite's GELU does not support FLOAT16; "
        "relu: TFLite does not compute with FLOAT16; "
        "add: TFLite's ADD does not support UINT64.");
  CHECK(refused([](B& b) {
          const MLOperand x = b.input("x", {int4, {2}});
          return NamedOperands{
              {"y", b.dequantizeLinear(x, b.constant<float>({float32, {1}}, {1}),
                                       b.constant({int4, {1}}, std::array{std::byte{}}))}};
        })
            .starts_with("NotSupportedError tflite export: 2 operators or inputs cannot be "
                         "expressed: input x: TFLite has no inputs of int4; dequantizeLinear: "));
  CHECK(refused([](B& b) {
          const MLOperand x = b.input("x", {float32, {1, 4, 4, 2}});
          const MLOperand f = b.input("f", {float32, {2, 3, 2, 2}});
          return NamedOperands{
              {"y", b.convTranspose2d(b.transpose(x, {.permutation = {0, 3, 1, 2}}), f,
                                      {.dilations = {2, 2}})}};
        }) ==
        "NotSupportedError tflite export: 1 operator or input cannot be expressed: "
        "convTranspose2d: TFLite does not dilate a filter that is not constant.");
  CHECK(refused([](B& b) {
          const MLOperand x = b.input("x", {float32, {2}});
          const MLOperand q = b.quantizeLinear(x, b.constant<float>({float32, {1}}, {1}),
                                               b.constant({uint4, {1}}, std::array{std::byte{}}));
          return NamedOperands{{"q", q}};
        }) ==
        "NotSupportedError tflite export: 1 operator or input cannot be expressed: "
        "quantizeLinear: TFLite has no uint4 results.");
  CHECK(refused([](B& b) {
          const MLOperand x = b.input("x", {bfloat16, {2}});
          const MLOperand weights = b.constant({float8e4m3, {2}}, {1.5, 2});
          const MLOperand real = b.dequantizeLinear(weights, b.constant({float32, {1}}, {0.5}),
                                                    b.constant({float8e4m3, {1}}, {0.0}));
          return NamedOperands{{"y", b.cast(b.relu(x), float8e4m3)}, {"real", real}};
        }) ==
        "NotSupportedError tflite export: 3 operators or inputs cannot be expressed: "
        "input x: TFLite has no tensors of bfloat16; relu: TFLite has no tensors of bfloat16; "
        "cast: TFLite has no tensors of float8e4m3.");
}

TEST_CASE("exported: sizes that TFLite cannot have are refused") {
  const auto refused = [](const Dims& shape, auto f) {
    B b(reference_context());
    const MLGraph graph = b.build({{"y", f(b, b.input("x", {float32, shape}))}});
    return thrown([&] { tflite::export_model(graph); });
  };
  const std::string prefix =
      "NotSupportedError tflite export: 1 operator or input cannot be expressed: ";
  CHECK(
      refused({1, 1, 4, 4},
              [](B& b, MLOperand x) {
                return b.averagePool2d(x, {.windowDimensions = {2, 2}, .strides = {4000000000, 1}});
              }) == prefix +
                        "averagePool2d: a stride, dilation, padding or size of the window is "
                        "greater than 2147483647.");
  CHECK(refused(
            {1, 1, 4, 4},
            [](B& b, MLOperand x) {
              const MLOperand f = b.constant<float>({float32, {1, 1, 1, 1}}, {1});
              return b.conv2d(x, f, {.padding = {3000000000, 0, 0, 0}, .strides = {3000000000, 1}});
            }) == prefix +
                      "conv2d: a stride, dilation, padding or size of the window is "
                      "greater than 2147483647.");
  CHECK(refused({1, 1, 4, 4}, [](B& b, MLOperand x) {
          const MLOperand f = b.constant<float>({float32, {1, 1, 1, 1}}, {1});
          return b.conv2d(x, f,
                          {.padding = {2000000000, 2000000000, 0, 0}, .strides = {2000000000, 1}});
        }) == prefix + "conv2d: a padded dimension (4000000001) is greater than 2147483647.");
  CHECK(refused({1, 1, 1, 3000},
                [](B& b, MLOperand x) {
                  return b.maxPool2d(x, {.windowDimensions = {1, 1500}, .dilations = {1, 2}});
                }) == prefix +
                          "maxPool2d: a window of 1500 elements along a dimension is more than "
                          "the 1024 slices that it is put together from.");
  CHECK(refused({1, 1, 2, 2},
                [](B& b, MLOperand x) {
                  const MLOperand f = b.constant<float>({float32, {1, 1, 2, 1}}, {1, 2});
                  return b.convTranspose2d(
                      x, f,
                      {.padding = {1000000000, 1000000000, 0, 0}, .dilations = {2000000000, 1}});
                }) == prefix +
                          "convTranspose2d: the filter with dilations ([2000000000, 1]) is too "
                          "large.");
  CHECK(refused({5000, 1, 2},
                [](B& b, MLOperand x) {
                  const MLOperand w =
                      b.constant({float32, {1, 3, 2}}, filled(float32, {1, 3, 2}, 1).bytes);
                  const MLOperand r =
                      b.constant({float32, {1, 3, 1}}, filled(float32, {1, 3, 1}, 1).bytes);
                  return b.gru(x, w, r, 5000, 1)[0];
                }) == prefix +
                          "gru: steps (5000) is greater than 4096, and each becomes operators "
                          "of its own.");
}

TEST_CASE("exported: more than a file can hold is refused before memory is taken") {
  // weights without physical memory, which are never read.
  constexpr std::uint32_t count = 0x14000000;
  const std::shared_ptr<void> memory(std::calloc(count, 4), std::free);
  REQUIRE(memory);
  B b(reference_context());
  const MLOperand at = b.input("at", {int32, {1}});
  NamedOperands outputs;
  for (const std::uint32_t n : {count, count - 16}) {
    const std::span bytes(static_cast<const std::byte*>(memory.get()), std::size_t{n} * 4);
    const MLOperand weights = b.constant({float32, {n}}, Constant(memory, bytes));
    outputs.push_back({"y" + std::to_string(outputs.size()), b.gather(weights, at)});
  }
  const MLGraph graph = b.build(outputs);
  CHECK(thrown([&] {
          tflite::export_model(graph);
        }).starts_with("NotSupportedError tflite export: the file would have up to 26843"));
}

TEST_CASE("exported: models of others, imported, exported, imported again", "[.][models]") {
  const char* const folder = std::getenv("WEBNN_MODELS_DIR");
  if (!folder) {
    WARN("skipped: WEBNN_MODELS_DIR is not set");
    return;
  }
  for (const std::string name : {"kws_ref_model_float32", "pretrainedResnet",
                                 "pretrainedResnet_quant", "mobilenet_v1_0.25_128_quant"}) {
    INFO(name);
    const auto file = bytes_of(std::filesystem::path(folder) / (name + ".tflite"));
    REQUIRE(!file.empty());
    const auto first = again(file), second = again(first);
    CHECK(operators_of(first) == operators_of(file));
    CHECK(first == second);

    const MLContext context;  // the machine's kernels
    std::vector<std::vector<Tensor>> results;
    Random r(7);
    std::vector<Tensor> inputs;
    for (const auto* bytes : {&file, &first}) {
      B b(context);
      const tflite::Model model = tflite::import_model(b, *bytes, {.unknown_dimension = 1});
      const MLGraph graph = b.build(model.outputs);
      if (inputs.empty())
        for (const auto& [input, d] : graph.inputs())
          inputs.push_back(r.tensor(d.dataType, d.shape, d.dataType == uint8 ? 0 : -100, 255));
      results.push_back(computed(context, graph, inputs));
    }
    CHECK(results[0][0].bytes == results[1][0].bytes);

    if (const TfliteRuntime* runtime = TfliteRuntime::find()) {
      const auto theirs = runtime->run(file, std::span(inputs)),
                 ours = runtime->run(first, std::span(inputs));
      CHECK(theirs[0].bytes == ours[0].bytes);
    }
  }
}

TEST_CASE("exported: into a file, which is replaced when all is written") {
  B b(reference_context());
  const MLGraph graph = b.build({{"y", b.neg(b.input("x", {float32, {2, 3}}))}});
  const auto folder = std::filesystem::temp_directory_path() / "webnn_export_model_test";
  std::filesystem::create_directories(folder / "taken" / "in");
  const auto path = folder / "net.tflite";
  std::ofstream(path) << "the old file";
  tflite::export_model(graph, path, {.description = "to a file"});
  CHECK(bytes_of(path) == tflite::export_model(graph, {.description = "to a file"}));
  tflite::export_model(graph, path.string());
  CHECK(bytes_of(path) == tflite::export_model(graph));
  CHECK_THROWS_AS(tflite::export_model(graph, folder / "no" / "such.tflite"), OperationError);
  CHECK_THROWS_AS(tflite::export_model(graph, folder / "taken"), OperationError);
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);  // nothing unfinished
  std::filesystem::remove_all(folder);
}

TEST_CASE("exported: a long label comes back without a divided character") {
  B b(reference_context());
  const std::string kept(255, 'a');
  const MLOperand y =
      b.neg(b.input("x", {float32, {2, 3}}), {.label = kept + "\xc3\xa9 and what follows"});
  const auto bytes = tflite::export_model(b.build({{"y", b.abs(y)}}));
  B other(reference_context());
  const MLGraph graph = other.build(tflite::import_model(other, bytes).outputs);
  CHECK(graph.graph().node(0).name() == "neg");
  CHECK(graph.graph().node(0).label() == kept);
}
