// The command on .onnx files.
#include "src/formats/onnx/element_type.h"
#include "tests/formats/onnx/writer.h"
#include "tests/support/catch.h"
#include "tests/tools/models.h"
#include "tests/tools/same_model.h"
#include "tools/webnn/data/npy.h"

using namespace webnn::test;
using webnn::onnx::ElementType;
using webnn::onnx::test::Writer;

TEST_CASE("onnx: --dim gives a dimension its size") {
  const Folder folder;
  Writer w;
  w.input("x", {"batch", "3"}).output("y").node("Relu", {"x"}, {"y"});
  const std::string model = folder.write("m.onnx", w.file());
  Outcome o = webnn_command({"run", model, "--dim", "batch=2", "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  CHECK(o.json()["outputs"][0]["shape"] == Json{2, 3});
  for (const std::string wrong : {"batch", "batch=-1", "batch=x", "=2", "batch=99999999999"}) {
    o = webnn_command({"info", model, "--dim", wrong});
    CHECK(o.code == 2);
    CHECK(contains(o.err, "is not a name and a size"));
  }
}

TEST_CASE("onnx: a message about a shape that the file does not have says the flag") {
  using webnn::onnx::test::Message;
  const Folder folder;
  Writer w;
  const Message floats_of_any_shape = Message().message(1, Message().integer(1, 1));
  w.graph.message(11, Message().text(1, "x").message(2, floats_of_any_shape));
  w.output("y").node("Relu", {"x"}, {"y"});
  const std::string model = folder.write("m.onnx", w.file());
  const std::string advice = "give one in the option shapes (--shape x=...).";
  const Outcome run = webnn_command({"run", model}), info = webnn_command({"info", model});
  CHECK(run.code == 1);
  CHECK(contains(run.err, advice));
  CHECK(info.code == 0);
  CHECK(contains(info.out, advice));
  const Outcome o = webnn_command({"run", model, "--shape", "x=2x3"});
  INFO(o.err);
  CHECK(o.code == 0);
}

TEST_CASE("onnx: a loop whose count follows from a size is unrolled when --dim gives it") {
  using webnn::onnx::test::Message;
  using webnn::onnx::test::node_of;
  const Folder folder;
  Writer w;
  w.input("x", {"n"}).output("y");
  Message body;
  body.message(1, node_of("Identity", {"go"}, {"on"}))
      .message(1, node_of("Add", {"v", "v"}, {"w"}));
  for (const char* name : {"i", "go", "v"}) body.message(11, Message().text(1, name));
  for (const char* name : {"on", "w"}) body.message(12, Message().text(1, name));
  w.node("Size", {"x"}, {"count"});
  w.node("Loop", {"count", "", "x"}, {"y"}, {webnn::onnx::test::graph_attribute("body", body)});
  const std::string model = folder.write("m.onnx", w.file());
  CHECK(webnn_command({"info", model}).code == 0);
  const Outcome none = webnn_command({"run", model});
  CHECK(none.code == 2);
  CHECK(contains(none.err, "--dim"));
  const Outcome o = webnn_command({"run", model, "--dim", "n=3", "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  CHECK(o.json()["outputs"][0]["shape"] == Json{3});
}

TEST_CASE("onnx: an input that decides a shape takes its values from --input") {
  const Folder folder;
  Writer w;
  w.input("x", {"6"}).input("shape", {"2"}, ElementType::INT64).output("y");
  w.node("Reshape", {"x", "shape"}, {"y"});
  const std::string model = folder.write("m.onnx", w.file());
  const std::vector<std::int64_t> shape{2, 3};
  const std::string file = folder.write(
      "shape.npy", webnn::tool::npy_of({webnn::int64, {2}}, std::as_bytes(std::span(shape))));
  Outcome o = webnn_command({"run", model, "--input", "shape=" + file, "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  CHECK(o.json()["outputs"][0]["shape"] == Json{2, 3});
  CHECK(o.json()["inputs"].size() == 1);
  o = webnn_command({"run", model});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "follows from the model's input \"shape\""));
  const std::vector<float> floats{2, 3};
  const std::string other = folder.write(
      "f.npy", webnn::tool::npy_of({webnn::float32, {2}}, std::as_bytes(std::span(floats))));
  o = webnn_command({"run", model, "--input", "shape=" + other});
  CHECK(o.code == 1);
  CHECK(contains(o.err, "the values given are float32, but the file says INT64"));
}

TEST_CASE("onnx: a model becomes one file, and the other way") {
  const Folder folder;
  for (const std::string& model : {colors_model(folder), quantized_colors_model(folder)}) {
    const std::string net = folder.path("net.onnx");
    const Outcome o = webnn_command({"convert", model, net, "--json"});
    INFO(o.err);
    REQUIRE(o.code == 0);
    CHECK(o.json()["format"] == "onnx");
    check_same_model(folder, model, net);
  }
}

TEST_CASE("onnx: every subcommand reads what is written") {
  const Folder folder;
  const std::string net = folder.path("net.onnx");
  REQUIRE(webnn_command({"convert", two_inputs_model(folder), net}).code == 0);
  const Json info = webnn_command({"info", net, "--json"}).json();
  CHECK(info["format"] == "onnx");
  CHECK(info["inputs"][0]["name"] == "a");
  CHECK(info["outputs"][1]["name"] == "product");
  CHECK(webnn_command({"run", net}).code == 0);
  CHECK(webnn_command({"verify", net}).code == 0);
  CHECK(contains(webnn_command({"graph", net}).out, "digraph"));
  const Outcome o = webnn_command({"convert", net, "-", "--to", "onnx"});
  CHECK(o.code == 0);
  CHECK(contains(o.out, "libwebnn"));
}
