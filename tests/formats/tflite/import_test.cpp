// Names, signatures, shapes, joined and cut models, and the builder after a failure.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/formats/tflite/cases.h"
#include "tests/formats/tflite/run.h"
#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::tflite::test;
using webnn::test::tensor;
using webnn::test::thrown;

namespace {

using Code = BuiltinOperator;
namespace fbs = tflite::schema;
constexpr auto f32 = TensorType::FLOAT32;

/// y = relu(x) + c, of [1, 3] where the first dimension is open.
Writer small_model() {
  Writer w;
  const int x = w.input(f32, {1, 3});
  w.tensor(x).shape_signature = {-1, 3};
  const int middle = w.op(Code::RELU, {x}, {w.result(f32)});
  w.tensor(middle).name = "middle";
  w.output(
      w.op(Code::ADD, {middle, w.floats({3}, {1, 2, 3})}, {w.result(f32)}, fbs::AddOptionsT()));
  w.tensor(0).name = "pixels";
  w.tensor(w.graph().outputs[0]).name = "scores";
  return w;
}

std::string names(const NamedOperands& all) {
  std::string out;
  for (const auto& [name, x] : all) out += name + ' ' + webnn::test::text(x) + "; ";
  return out;
}

std::vector<double> computed(MLGraphBuilder b, const MLOperand& y, const std::string& input,
                             const Tensor& x) {
  const MLGraph graph = b.build({{"y", y}});
  std::vector<float> out(element_count(y.shape()));
  b.context().compute(graph, {{input, x.bytes}}, {{"y", out}});
  return {out.begin(), out.end()};
}

struct TemporaryFile {
  std::filesystem::path path;
  explicit TemporaryFile(const std::vector<std::byte>& bytes) {
    std::string name = (std::filesystem::temp_directory_path() / "webnn-XXXXXX").string();
    close(mkstemp(name.data()));
    path = name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("tflite: names, descriptors and the description", "[tflite]") {
  MLGraphBuilder b(webnn::test::plain_context());
  const auto m = tflite::import_model(b, small_model().file(), {.unknown_dimension = 1});
  CHECK(names(m.inputs) == "pixels float32 [1, 3]; ");
  CHECK(names(m.outputs) == "scores float32 [1, 3]; ");
  CHECK(m.description == "a test");
  CHECK(m.input_quantization == std::vector<std::optional<tflite::Quantization>>{std::nullopt});
  CHECK(m.output("scores").is(m.outputs[0].operand));
  CHECK(thrown([&] { m.input("x"); }) == "DataError tflite: the model has no input \"x\".");
  CHECK(computed(b, m.output("scores"), "pixels", tensor(float32, {1, 3}, {-1, 2, -3})) ==
        std::vector<double>{1, 4, 3});
}

TEST_CASE("tflite: a long name is cut before a character, not inside of it", "[tflite]") {
  MLContext context({.backends = {"reference"}});
  Writer w;
  const int x = w.input(f32, {1});
  const int y = w.op(Code::RELU, {x}, {w.result(f32)});
  w.output(y);
  const std::string name = std::string(255, 'a') + "\u00e9";  // it has two bytes
  w.tensor(y).name = name;
  MLGraphBuilder b(context);
  const auto model = tflite::import_model(b, w.file());
  const MLGraph graph = b.build({{"y", model.output(name)}});
  CHECK(graph.graph().node(0).label() == std::string(255, 'a'));

  const std::string signature = std::string(79, 'a') + "\u00e9";
  const std::string message =
      thrown([&] { tflite::import_model(b, w.file(), {.signature = signature}); });
  INFO(message);
  CHECK(message.find('"' + std::string(79, 'a') + "...\"") != std::string::npos);
}

TEST_CASE("tflite: weights stay in the mapped file", "[tflite]") {
  const TemporaryFile file(small_model().file());
  MLGraphBuilder b(webnn::test::plain_context());
  const auto m = tflite::import_model(b, file.path);
  const MLGraph graph = b.build(m.outputs);
  std::ifstream maps("/proc/self/maps");
  bool found = false;
  for (std::size_t i = 0; i < graph.graph().operand_count(); ++i) {
    const auto* constant = graph.graph().operand(i).constant();
    if (!constant || graph.graph().operand(i).shape() != Dims{3}) continue;
    const auto at = reinterpret_cast<std::uintptr_t>(constant->bytes().data());
    for (std::string line; std::getline(maps, line);) {
      std::uintptr_t begin = 0, end = 0;
      REQUIRE(std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2);
      if (at >= begin && at < end) found = line.ends_with(file.path.string());
    }
  }
  CHECK(found);
  CHECK(thrown([&] {
          MLGraphBuilder other(webnn::test::plain_context());
          tflite::import_model(other, std::filesystem::path("/nowhere/net.tflite"));
        }) ==
        "DataError tflite [/nowhere/net.tflite]: the file cannot be opened: "
        "No such file or directory.");
}

TEST_CASE("tflite: open dimensions", "[tflite]") {
  const auto file = small_model().file();
  const auto shapes = [&](const tflite::ImportOptions& o) {
    MLGraphBuilder b(webnn::test::plain_context());
    const auto m = tflite::import_model(b, file, o);
    return names(m.inputs) + names(m.outputs);
  };
  CHECK(shapes({.unknown_dimension = 7}) == "pixels float32 [7, 3]; scores float32 [7, 3]; ");
  CHECK(shapes({.shapes = {{"pixels", {5, 3}}}}) ==
        "pixels float32 [5, 3]; scores float32 [5, 3]; ");
  CHECK(
      thrown([&] {
        shapes({.shapes = {{"pixels", {5, 4}}}});
      }) ==
      "TypeError tflite: input \"pixels\": dimension 1 of the shape given is 4, but the file says "
      "3.");
  CHECK(
      thrown([&] {
        shapes({.shapes = {{"pixels", {5}}}});
      }) ==
      "TypeError tflite: input \"pixels\": the shape given ([5]) does not have the rank (2) of the "
      "file.");
  CHECK(
      thrown([&] {
        shapes({.shapes = {{"sound", {5}}}});
      }) ==
      "TypeError tflite: there is no input \"sound\"; the model has \"pixels\" (float32 [?, 3]).");
  CHECK(shapes({.dimensions = {{"pixels_axis0", 4}}}) ==
        "pixels float32 [4, 3]; scores float32 [4, 3]; ");
  CHECK(thrown([&] {
          shapes({.dimensions = {{"pixels_axis1", 4}}});
        }) == "TypeError tflite: no input has a dimension named \"pixels_axis1\".");
  CHECK(thrown([&] { shapes({.unknown_dimension = 0}); }) ==
        "DataError tflite: input \"pixels\": dimension 0 (0) of the input is not between 1 and "
        "2147483647.");
  MLGraphBuilder b(webnn::test::plain_context());
  const auto m = tflite::import_model(b, file);
  CHECK((m.input("pixels").dimensions() == MLDimensions{"pixels_axis0", 3}));
  CHECK((m.output("scores").dimensions() == MLDimensions{"pixels_axis0", 3}));
}

TEST_CASE("tflite: models are joined and cut", "[tflite]") {
  const auto file = small_model().file();
  MLGraphBuilder b(webnn::test::plain_context());
  const auto first = tflite::import_model(b, file, {.unknown_dimension = 1, .outputs = {"middle"}});
  CHECK(names(first.outputs) == "middle float32 [1, 3]; ");
  const auto second =
      tflite::import_model(b, file, {.inputs = {{"pixels", b.neg(first.output("middle"))}}});
  CHECK(computed(b, second.output("scores"), "pixels", tensor(float32, {1, 3}, {-1, 2, -3})) ==
        std::vector<double>{1, 2, 3});

  MLGraphBuilder c(webnn::test::plain_context());
  const auto refused = [&](const tflite::ImportOptions& o) {
    return thrown([&] { tflite::import_model(c, file, o); });
  };
  const MLOperand integers = c.input("i", {int32, {1, 3}}), wide = c.input("w", {float32, {1, 4}});
  CHECK(
      refused({.inputs = {{"pixels", integers}}}) ==
      "TypeError tflite: input \"pixels\": the operand given is int32, but the file says FLOAT32.");
  CHECK(refused({.inputs = {{"pixels", wide}}}) ==
        "TypeError tflite: input \"pixels\": the operand given has shape [1, 4], which is not the "
        "file's.");
  CHECK(refused({.inputs = {{"pixels", first.output("middle")}}}) ==
        "TypeError tflite: input \"pixels\": the given operand belongs to another builder.");
  CHECK(refused({.outputs = {"nothing"}}) == "TypeError tflite: there is no tensor \"nothing\".");
  CHECK(refused({.subgraph = 4}) == "TypeError tflite: there is no subgraph 4: the file has 1.");
}

TEST_CASE("tflite: signatures choose a subgraph and names", "[tflite]") {
  Writer w = small_model();
  w.add_subgraph();
  w.output(w.op(Code::ABS, {w.input(f32, {2})}, {w.result(f32)}));
  const auto sign = [&](std::string key, std::uint32_t subgraph, std::uint32_t in,
                        std::uint32_t out) {
    auto s = std::make_unique<fbs::SignatureDefT>();
    s->signature_key = std::move(key);
    s->subgraph_index = subgraph;
    for (auto* list : {&s->inputs, &s->outputs}) {
      list->push_back(std::make_unique<fbs::TensorMapT>());
      list->back()->name = list == &s->inputs ? "image" : "classes";
      list->back()->tensor_index = list == &s->inputs ? in : out;
    }
    w.model.signature_defs.push_back(std::move(s));
  };
  sign("classify", 0, 0, 3);
  sign("magnitude", 1, 0, 1);
  sign("broken", 1, 1, 1);
  const auto ports = [&](const tflite::ImportOptions& o) {
    MLGraphBuilder b(webnn::test::plain_context());
    const auto m = tflite::import_model(b, w.file(), o);
    return names(m.inputs) + names(m.outputs);
  };
  CHECK(ports({.signature = "classify", .dimensions = {{"image_axis0", 1}}}) ==
        "image float32 [1, 3]; classes float32 [1, 3]; ");
  CHECK(ports({.signature = "magnitude"}) == "image float32 [2]; classes float32 [2]; ");
  CHECK(ports({.subgraph = 1}) == "x0 float32 [2]; y1 float32 [2]; ");
  CHECK(thrown([&] { ports({.signature = "speak"}); }) ==
        "TypeError tflite: there is no signature \"speak\"; the file has \"classify\", "
        "\"magnitude\", \"broken\".");
  CHECK(
      thrown([&] { ports({.signature = "broken"}); }) ==
      "DataError tflite: the signature's input \"image\" is tensor 1, which is not an input of the "
      "subgraph.");
}

TEST_CASE("tflite: calls of other subgraphs are inlined", "[tflite]") {
  Writer w;
  fbs::CallOptionsT call;
  call.subgraph = 1;
  const int x = w.input(f32, {2});
  const int once = w.op(Code::CALL, {x}, {w.result(f32)}, call);
  w.output(w.op(Code::CALL, {once}, {w.result(f32)}, call));
  w.add_subgraph();
  const int inner = w.input(f32, {2});
  w.output(w.op(Code::ADD, {inner, inner}, {w.result(f32)}, fbs::AddOptionsT()));
  const auto y = run(w.file(), std::vector{tensor(float32, {2}, {1, -3})});
  CHECK(y[0][0] == 4);
  CHECK(y[0][1] == -12);
}

TEST_CASE("tflite: outputs are results, and names are distinct", "[tflite]") {
  Writer w;
  const int x = w.input(f32, {2}), other = w.input(f32, {2}), nameless = w.input(f32, {2});
  w.tensor(other).name = w.tensor(x).name;
  w.tensor(nameless).name = "";
  w.output(x);
  w.output(w.floats({1}, {3}));
  MLGraphBuilder b(webnn::test::plain_context());
  const auto m = tflite::import_model(b, w.file());
  CHECK(names(m.inputs) == "x0 float32 [2]; x0_1 float32 [2]; input_2 float32 [2]; ");
  CHECK(names(m.outputs) == "x0 float32 [2]; c3 float32 [1]; ");
  CHECK_NOTHROW(b.build(m.outputs));
}

TEST_CASE("tflite: quantization of inputs and outputs", "[tflite]") {
  Case c;
  for (Case& each : all_cases())
    if (each.name == "conv_uint8") c = std::move(each);
  MLGraphBuilder b(webnn::test::plain_context());
  const auto m = tflite::import_model(b, c.writer.file());
  CHECK(m.input_quantization[0] == tflite::Quantization{0.02f, 120});
  CHECK(m.output_quantization[0] == tflite::Quantization{0.05f, 100});
  CHECK(names(m.inputs) == "x0 uint8 [1, 5, 6, 3]; ");
  const MLGraph graph = b.build(m.outputs);
  std::string operators;
  for (std::size_t i = 0; i < graph.graph().size(); ++i)
    operators += std::string(graph.graph().node(i).name()) + ' ';
  CHECK(operators == "dequantizeLinear dequantizeLinear dequantizeLinear conv2d quantizeLinear ");
}

TEST_CASE("tflite: a builder is as it was after a failure", "[tflite]") {
  Writer w = small_model();
  w.op(Code::WHERE, {0}, {w.result(TensorType::INT64)});
  w.graph().outputs = {static_cast<int>(w.graph().tensors.size()) - 1};
  Writer late = small_model();
  late.last().inputs[1] = 0;
  late.tensor(0).shape = {1, 3};
  late.tensor(0).type = TensorType::INT32;  // relu takes it, but what follows is FLOAT32
  MLGraphBuilder b(webnn::test::plain_context());
  for (const auto& file : {w.file(), late.file()})
    CHECK(thrown([&] { tflite::import_model(b, file); }) != "nothing");
  const auto m = tflite::import_model(b, small_model().file());  // its input has the same name
  CHECK(b.build(m.outputs).graph().size() == 2);
  CHECK(thrown([&] { tflite::import_model(b, small_model().file()); }) ==
        "InvalidStateError input [pixels]: the builder has already built a graph.");
}

TEST_CASE("tflite: values of an input that decide a shape", "[tflite]") {
  Writer w;
  const int x = w.input(f32, {2, 3}), order = w.input(TensorType::INT32, {2});
  w.output(w.op(Code::TRANSPOSE, {x, order}, {w.result(f32)}));
  w.tensor(order).name = "order";
  const auto file = w.file();
  const std::vector<std::int32_t> swapped{1, 0};
  const auto bytes = std::as_bytes(std::span(swapped));
  const auto with = [&](tflite::ImportOptions::Value value) {
    tflite::ImportOptions o;
    o.values["order"] = std::move(value);
    return o;
  };
  const tflite::ImportOptions::Value good{{2}, {bytes.begin(), bytes.end()}, int32};
  const auto y = run(file, std::vector{tensor(float32, {2, 3}, {1, 2, 3, 4, 5, 6})}, with(good));
  CHECK(y[0].shape == Dims{3, 2});
  CHECK(y[0][1] == 4);
  const auto refused = [&](const tflite::ImportOptions& o) {
    return thrown([&] {
      webnn::test::Builder b;
      tflite::import_model(b, file, o);
    });
  };
  auto bad = good;
  bad.shape = {3};
  CHECK(refused(with(bad)) ==
        "TypeError tflite: input \"order\": the shape of the values given ([3]) is not that of the "
        "file.");
  bad = good;
  bad.type = int64;
  CHECK(refused(with(bad)) ==
        "TypeError tflite: input \"order\": the values given are int64, but the file says INT32.");
  bad = good;
  bad.bytes.pop_back();
  CHECK(refused(with(bad)).find("have 7 bytes") != std::string::npos);
  // Where nothing follows from it, the input remains.
  Writer plain;
  const int a = plain.input(f32, {2});
  plain.tensor(a).name = "order";
  plain.output(plain.op(Code::RELU, {a}, {plain.result(f32)}));
  webnn::test::Builder b;
  CHECK(tflite::import_model(b, plain.file(), with(good)).inputs.size() == 1);
}
