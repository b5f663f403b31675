// import_model() and export_model() of webnn/models.h, through every format of this build.
#include "webnn/models.h"

#include <fstream>
#include <set>

#include "tests/support/catch.h"
#include "tests/support/temporary_file.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

MLContext& context() {
  static MLContext c({.threads = 1, .keepConstants = true});
  return c;
}

/// y = relu(sub(b, a)), with the label "d" for the difference and an input that nothing reads.
MLGraph difference() {
  const MLOperandDescriptor two{float32, {1, 2}};
  MLGraphBuilder builder(context());
  const MLOperand a = builder.input("a", two), b = builder.input("b", two),
                  c = builder.input("c", two);
  const MLOperand d = builder.sub(b, a, {.label = "d"});
  return builder.build({{"y", builder.relu(d, {.label = "y"})}},
                       {.inputs = {{"a", a}, {"b", b}, {"c", c}}});
}

std::vector<ModelFormat> both_ways() {
  std::vector<ModelFormat> formats;
  for (const ModelFormat& f : model_formats())
    if (f.imports && f.exports) formats.push_back(f);
  return formats;
}

std::vector<std::string> names_of(const NamedOperands& all) {
  std::vector<std::string> names;
  for (const auto& [name, x] : all) names.push_back(name);
  return names;
}

/// y of a = [1, 9] and b = [5, 7].
std::array<float, 2> result(MLGraphBuilder builder, const ImportedModel& model) {
  CHECK(names_of(model.inputs) == std::vector<std::string>{"a", "b", "c"});
  const MLGraph graph = builder.build(model.outputs, {.inputs = model.inputs});
  const float a[]{1, 9}, b[]{5, 7};
  std::array<float, 2> y{};
  context().compute(graph, {{"a", a}, {"b", b}}, {{graph.outputs()[0].name, y}});
  return y;
}

/// Names in a folder of their own.
struct Folder : TemporaryFile {
  Folder() { std::filesystem::create_directory(path); }
  std::string operator()(const std::string& name) const { return path + '/' + name; }
};

void write(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TEST_CASE("models: a path, whose extension or content says the format") {
  const MLGraph graph = difference();
  for (const ModelFormat& format : both_ways()) {
    CAPTURE(format.name);
    REQUIRE_FALSE(format.extensions.empty());
    const Folder folder;
    const std::string file = folder("net." + std::string(format.extensions[0])),
                      other = folder("net.unknown");
    export_model(graph, file);
    write(other, exported_bytes(graph, format.name));
    for (const std::string& path : {file, other}) {
      MLGraphBuilder builder(context());
      const ImportedModel model = import_model(builder, path);
      CHECK(model.format == format.name);
      CHECK(model.input_quantization.size() == 3);
      CHECK(result(builder, model) == std::array<float, 2>{4, 0});
    }
  }
}

TEST_CASE("models: from memory, by the content or by the name") {
  const MLGraph graph = difference();
  for (const ModelFormat& format : both_ways()) {
    CAPTURE(format.name);
    const std::vector<std::byte> file = exported_bytes(graph, format.name);
    for (const std::string& name : {std::string(), std::string(format.name)}) {
      MLGraphBuilder builder(context());
      const ImportedModel model = import_model(builder, file, {.format = name});
      CHECK(model.format == format.name);
      CHECK(result(builder, model) == std::array<float, 2>{4, 0});
    }
    // The importer of each other format refuses it, and leaves the builder as it was.
    for (const ModelFormat& other : both_ways()) {
      MLGraphBuilder builder(context());
      const bool same = other.name == format.name ||
                        (format.name == "executorch" && other.name == "xnnpack") ||
                        (format.name == "xnnpack" && other.name == "executorch");
      if (same) continue;
      CAPTURE(other.name);
      CHECK(thrown([&] { import_model(builder, file, {.format = std::string(other.name)}); }) !=
            "nothing");
      CHECK(result(builder, import_model(builder, file)) == std::array<float, 2>{4, 0});
    }
  }
}

TEST_CASE("models: every beginning of a file is read or refused") {
  const MLGraph graph = difference();
  for (const ModelFormat& format : both_ways()) {
    CAPTURE(format.name);
    const std::vector<std::byte> file = exported_bytes(graph, format.name);
    for (std::size_t size = 0; size < file.size(); size += 1 + size / 16) {
      MLGraphBuilder builder(context());
      const std::string said = thrown([&] { import_model(builder, std::span(file).first(size)); });
      CHECK(said.find("std::exception") == std::string::npos);
    }
  }
}

TEST_CASE("models: chosen outputs, in every format") {
  const MLGraph graph = difference();
  for (const ModelFormat& format : both_ways()) {
    CAPTURE(format.name);
    const std::vector<std::byte> file = exported_bytes(graph, format.name);
    {
      MLGraphBuilder builder(context());
      const ImportedModel model = import_model(builder, file, {.outputs = {"y"}});
      CHECK(names_of(model.outputs) == std::vector<std::string>{"y"});
      CHECK(result(builder, model) == std::array<float, 2>{4, 0});
    }
    MLGraphBuilder builder(context());
    CHECK_THAT(thrown([&] { import_model(builder, file, {.outputs = {"nowhere"}}); }),
               ContainsSubstring("TypeError") && ContainsSubstring("\"nowhere\""));
    CHECK(thrown([&] {
            import_model(builder, file, {.outputs = {"y", "y"}}, "net");
          }) == "TypeError import [net]: output \"y\" is chosen twice.");
    if (format.name != "webnn" && format.name != "graphinfo") continue;
    // What a text names: the difference before relu.
    const ImportedModel model = import_model(builder, file, {.outputs = {"d"}});
    CHECK(result(builder, model) == std::array<float, 2>{4, -2});
  }
}

/// Formats for which a file that is not aligned is memory that the limit counts.
bool counts_alignment(std::string_view format) {
  return format != "tflite" && format != "executorch" && format != "xnnpack";
}

TEST_CASE("models: limits") {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {float32, {1, 4096}});
  const MLOperand w = b.constant({float32, {1, 4096}}, std::vector<float>(4096, 1.f));
  const MLGraph graph = b.build({{"y", b.add(x, w)}});
  for (const ModelFormat& format : both_ways()) {
    CAPTURE(format.name);
    std::vector<std::byte> file = exported_bytes(graph, format.name);
    file.insert(file.begin(), std::byte{});  // so that nothing is aligned
    const auto bytes = std::span(file).subspan(1);
    MLGraphBuilder builder(context());
    const auto owner = std::make_shared<int>();
    const auto limited = [&] { import_model(builder, owner, bytes, {.max_bytes = 64}); };
    CHECK((thrown(limited) != "nothing") == counts_alignment(format.name));
    MLGraphBuilder other(context());
    CHECK(thrown([&] { import_model(other, owner, bytes, {.max_bytes = 1 << 22}); }) == "nothing");
  }
}

TEST_CASE("models: options that the format does not have") {
  const MLGraph graph = difference();
  const auto refused = [&](std::string_view format, ImportOptions options) {
    const std::vector<std::byte> file = exported_bytes(graph, format);
    MLGraphBuilder builder(context());
    return thrown([&] { import_model(builder, file, options, "net"); });
  };
  for (const ModelFormat& format : both_ways()) {
    const std::string no = " is not an option of the format " + std::string(format.name) + ".";
    const bool named = format.name == "onnx" || format.name == "webnn" || format.name == "tflite";
    if (!named)
      CHECK(refused(format.name, {.dimensions = {{"n", 2}}}) ==
            "TypeError import [net]: dimensions" + no);
    else
      CHECK_THAT(refused(format.name, {.dimensions = {{"n", 2}}}), ContainsSubstring("TypeError"));
    if (format.name != "tflite")
      CHECK(refused(format.name, {.subgraph = 1}) == "TypeError import [net]: subgraph" + no);
    CHECK(refused(format.name, {.values = {{"nowhere", {{1}, std::vector<std::byte>(4), {}}}}}) ==
          "nothing");
  }
}

TEST_CASE("models: what no format reads or writes") {
  MLGraphBuilder builder(context());
  const MLGraph graph = difference();
  const Folder folder;
  const std::string text = folder("net.xyz");
  write(text, std::as_bytes(std::span(std::string_view("hello"))));
  CHECK_THAT(thrown([&] { import_model(builder, text); }),
             ContainsSubstring("NotSupportedError import") &&
                 ContainsSubstring("there is no format for the extension \"xyz\"") &&
                 ContainsSubstring("there are: "));
  CHECK_THAT(thrown([&] { import_model(builder, std::vector<std::byte>(100)); }),
             ContainsSubstring("the content of the bytes does not show their format"));
  CHECK_THAT(
      thrown([&] { import_model(builder, text, {.format = "keras"}); }),
      ContainsSubstring("NotSupportedError") && ContainsSubstring("there is no format \"keras\""));
  CHECK_THAT(thrown([&] { import_model(builder, Path()); }), ContainsSubstring("TypeError"));
  CHECK_THAT(thrown([&] { export_model(graph, text); }),
             ContainsSubstring("NotSupportedError export") &&
                 ContainsSubstring("there is no format for the extension \"xyz\""));
  CHECK_THAT(thrown([&] { export_model(graph, "/nowhere/at/all.txt"); }),
             ContainsSubstring("OperationError export [/nowhere/at/all.txt]") &&
                 ContainsSubstring("No such file or directory"));
  for (const ModelFormat& f : both_ways())
    if (!f.extensions.empty())
      CHECK_THAT(thrown([&] { import_model(builder, "/nowhere." + std::string(f.extensions[0])); }),
                 ContainsSubstring("DataError"));
}

TEST_CASE("models: where the model cannot be written, its weights are not either") {
  MLGraphBuilder builder(context());
  const std::vector<float> values(1000, 1.5f);
  const MLOperand w = builder.constant({float32, {1000}}, std::span<const float>(values));
  const MLGraph graph =
      builder.build({{"y", builder.add(builder.input("x", {float32, {1000}}), w)}});
  for (const ModelFormat& f : both_ways()) {
    const Folder folder;
    const std::string path = folder("net." + std::string(f.extensions.at(0)));
    std::filesystem::create_directory(path);
    CAPTURE(path);
    CHECK_THAT(thrown([&] { export_model(graph, path, {.format = std::string(f.name)}); }),
               ContainsSubstring("OperationError export"));
    const std::filesystem::directory_iterator files(std::filesystem::path(path).parent_path());
    CHECK(std::distance(begin(files), end(files)) == 1);
  }
}

TEST_CASE("models: formats without open dimensions name the input that has one") {
  MLGraphBuilder builder(context());
  const MLOperand fixed = builder.input("fixed", {float32, {1, 2}});
  const MLOperand open = builder.input("tokens", {float32, {"rows", 2}});
  const MLGraph graph = builder.build({{"y", builder.add(fixed, open)}});
  const MLGraph sized = graph.prepare({{"tokens", {3, 2}}});
  for (const ModelFormat& f : model_formats()) {
    // Printed text and weights have no dimensions of inputs that a reader would need as numbers.
    const std::set<std::string_view> writes{"webnn",  "text",      "graphviz", "safetensors",
                                            "tflite", "graphinfo", "onnx"};
    if (!f.exports || writes.contains(f.name)) continue;
    CAPTURE(f.name);
    const std::string message = thrown([&] { exported_bytes(graph, f.name); });
    CHECK(message.starts_with("NotSupportedError "));
    CHECK(message.find("input \"tokens\" has an open dimension, 0 (\"rows\"), which cannot be "
                       "written") != std::string::npos);
    CHECK(!exported_bytes(sized, f.name).empty());
  }
}
