// webnn info and webnn graph of models that cannot be imported, and values of inputs.
#include "src/formats/onnx/element_type.h"
#include "tests/formats/onnx/writer.h"
#include "tests/support/catch.h"
#include "tests/tools/models.h"

using namespace webnn::test;
using webnn::onnx::ElementType;
using webnn::onnx::test::attribute;
using webnn::onnx::test::graph_attribute;
using webnn::onnx::test::int64s;
using webnn::onnx::test::Ints;
using webnn::onnx::test::Message;
using webnn::onnx::test::node_of;
using webnn::onnx::test::Writer;

namespace {

std::string unsupported_model(const Folder& folder) {
  Writer w;
  w.input("x", {"batch", "4"}).output("y");
  w.node("Relu", {"x"}, {"a"}, {}, {}, "</script><b>");
  w.node("Foo", {"a"}, {"b"}, {attribute("axes", Ints{1, 2})}, "my.domain", "first");
  w.node("Foo", {"b"}, {"c"}, {}, "my.domain", "second");
  w.node("Bar", {"c"}, {"y"});
  w.domains.emplace_back("my.domain", 1);
  return folder.write("unsupported.onnx", w.file());
}

/// One branch gives three elements, the other six, as `sr` says.
std::string branching_model(const Folder& folder) {
  Message yes, no;
  yes.message(1, node_of("Neg", {"x"}, {"u"})).message(12, Message().text(1, "u"));
  no.message(1, node_of("Concat", {"x", "x"}, {"v"}, {attribute("axis", 0)}))
      .message(12, Message().text(1, "v"));
  Writer w;
  w.input("x", {"3"}).input("sr", {}, ElementType::INT64).output("y");
  w.initializer(int64s("k", {}, {16000}));
  w.node("Equal", {"sr", "k"}, {"is"});
  w.node("If", {"is"}, {"y"},
         {graph_attribute("then_branch", yes), graph_attribute("else_branch", no)});
  return folder.write("branching.onnx", w.file());
}

Json data_of(const std::string& page) {
  const std::string begin = R"(<script id="data" type="application/json">)";
  const std::size_t at = page.find(begin) + begin.size();
  return Json::parse(page.substr(at, page.find("</script>", at) - at));
}

}  // namespace

TEST_CASE("file: info lists every operator that is not supported, with the reason") {
  const Folder folder;
  const std::string model = unsupported_model(folder);
  const Outcome o = webnn_command({"info", model});
  INFO(o.out + o.err);
  CHECK(o.code == 0);
  CHECK(contains(o.out, "It cannot be imported: 3 of 4 operators are not supported."));
  CHECK(contains(o.out, "my.domain.Foo (operators 1, 2): it has no WebNN counterpart"));
  CHECK(contains(o.out, "Bar (operator 3): it has no WebNN counterpart"));
  CHECK(contains(o.out, "float32 [batch, 4]"));
  CHECK_FALSE(contains(o.out, "axes = [1, 2]"));
  const Outcome all = webnn_command({"info", model, "--file"});
  CHECK(contains(all.out, "axes = [1, 2]"));
  CHECK(contains(all.out, "-> a: float32 [batch, 4]"));
  const Json json = webnn_command({"info", model, "--json"}).json();
  CHECK(json["file"]["not_supported"].size() == 2);
  CHECK(json["file"]["graphs"][0]["operators"][1]["attributes"]["axes"] == "[1, 2]");
  CHECK(json["file"]["graphs"][0]["operators"][3]["not_supported"] ==
        "it has no WebNN counterpart");
}

TEST_CASE("file: --file adds the file's operators to what is known of a model") {
  const Folder folder;
  const std::string model = colors_model(folder);
  const Outcome o = webnn_command({"info", model, "--file"});
  INFO(o.err);
  CHECK(o.code == 0);
  CHECK(contains(o.out, "Conv2D"));
  CHECK(contains(o.out, "padding = "));
  CHECK_FALSE(contains(o.out, "cannot be imported"));
  CHECK(webnn_command({"info", model, "--file", "--json"}).json()["file"]["graphs"].size() == 1);
}

TEST_CASE("file: graph draws models that cannot be imported") {
  const Folder folder;
  const std::string model = unsupported_model(folder);
  const Outcome dot = webnn_command({"graph", model});
  INFO(dot.err);
  CHECK(dot.code == 0);
  CHECK(dot.out.substr(0, 7) == "digraph");
  CHECK(contains(dot.out, "my.domain.Foo first\", color=red"));
  CHECK(contains(dot.err, "The drawing shows the operators of the file."));
  const Outcome page = webnn_command({"graph", model, "-o", folder.path("p.html"), "--json"});
  REQUIRE(page.code == 0);
  CHECK(page.json()["operators"] == 4);
  const std::string text = folder.read("p.html");
  CHECK_FALSE(contains(text, "</script><b>"));
  const Json data = data_of(text), view = data["views"][0];
  CHECK(view["title"] == "the file: graph");
  CHECK(view["refusals"].size() == 2);
  std::size_t refused = 0;
  for (const Json& node : view["nodes"]) refused += node.contains("refusal");
  CHECK(refused == 3);
  CHECK(view["nodes"].size() == 6);
  CHECK(view["edges"].size() == 5);
}

TEST_CASE("file: the page of a model has a view of its file, with layers' names") {
  const Folder folder;
  const std::string model = colors_model(folder);
  REQUIRE(webnn_command({"graph", model, "--no-time", "-o", folder.path("p.html")}).code == 0);
  const Json data = data_of(folder.read("p.html"));
  REQUIRE(data["views"].size() == 4);
  const Json view = data["views"][3];
  CHECK(view["title"].get<std::string>().starts_with("the file: "));
  bool found = false;
  for (const Json& node : view["nodes"])
    found = found || (node["name"] == "Conv2D" && node["lines"].size() == 3);
  CHECK(found);
  CHECK(contains(webnn_command({"graph", model, "--file"}).out, "Conv2D"));
}

TEST_CASE("file: a model whose sizes are open is drawn without them") {
  const Folder folder;
  Writer w;
  w.input("x", {"batch", "length"}).output("y").node("Relu", {"x"}, {"y"});
  const std::string model = folder.write("m.onnx", w.file());
  const Outcome o = webnn_command({"graph", model});
  INFO(o.err);
  CHECK(o.code == 0);
  CHECK(contains(o.out, "float32 [batch, length]"));
  CHECK(contains(o.err, "--dim length=N"));
}

TEST_CASE("file: --value says what an input is") {
  const Folder folder;
  const std::string model = branching_model(folder);
  for (const std::string command : {"run", "bench", "explain"}) {
    const Outcome o = webnn_command({command, model});
    INFO(command + ": " + o.err);
    CHECK(o.code == 1);
    CHECK(contains(o.err, "which chooses one of its branches"));
    CHECK(contains(o.err, "\"sr\" (int64 [])"));
    CHECK(contains(o.err, "(--value sr=...)."));
  }
  CHECK(contains(webnn_command({"info", model}).out, "(--value sr=...)."));
  const auto shape = [&](const std::string& value) {
    const Outcome o = webnn_command({"run", model, "--value", value, "--json"});
    INFO(o.err);
    REQUIRE(o.code == 0);
    return o.json()["outputs"][0]["shape"];
  };
  CHECK(shape("sr=16000") == Json{3});
  CHECK(shape("sr=8000") == Json{6});
  CHECK(webnn_command({"explain", model, "--value", "sr=16000", "--no-time"}).code == 0);
  CHECK(webnn_command({"verify", model, "--value", "sr=16000"}).code == 0);
  CHECK(webnn_command({"diff", model, "--value", "sr=16000", "--backends", "reference"}).code == 0);
  CHECK(webnn_command({"info", model, "--value", "sr=16000"}).code == 0);
  // The compiled file has the value in it.
  const std::string compiled = folder.path("m.webnnc");
  REQUIRE(webnn_command({"compile", model, "--value", "sr=8000", "-o", compiled}).code == 0);
  CHECK(webnn_command({"run", compiled, "--json"}).json()["outputs"][0]["shape"] == Json{6});
  CHECK(webnn_command({"run", compiled, "--value", "sr=8000"}).code == 2);
  for (const auto& [value, part] : std::vector<std::pair<std::string, std::string>>{
           {"sr", "is not of the form NAME=VALUE"},
           {"rate=1", "the model has \"x\" (float32 [3]), \"sr\" (int64 [])"},
           {"sr=1,2", "it has 2 values, but the input has shape []"},
           {"sr=1.5", "\"1.5\" is not a value of int64"}}) {
    const Outcome o = webnn_command({"run", model, "--value", value});
    INFO(o.err);
    CHECK(o.code == 2);
    CHECK(contains(o.err, part));
  }
}

TEST_CASE("file: --value is what an input has, also where nothing follows from it") {
  const Folder folder;
  const std::string model = two_inputs_model(folder);
  const Outcome o = webnn_command(
      {"run", model, "--value", "a=1,2,3,4,5,6", "--value", "b=1,1,1,1,1,1", "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  const Json outputs = o.json()["outputs"];
  CHECK(outputs[0]["min"] == 2);
  CHECK(outputs[0]["max"] == 7);
  CHECK(outputs[1]["max"] == 6);
}

TEST_CASE("file: --outputs chooses values of the file") {
  const Folder folder;
  Writer w;
  w.input("x", {"3"}).output("y");
  w.node("Relu", {"x"}, {"a"}).node("Concat", {"a", "a"}, {"b"}, {attribute("axis", 0)});
  w.node("Unknown", {"b"}, {"y"});
  const std::string model = folder.write("m.onnx", w.file());
  CHECK(webnn_command({"run", model}).code == 1);
  const Outcome o = webnn_command({"run", model, "--outputs", "b,a", "--json"});
  INFO(o.err);
  REQUIRE(o.code == 0);
  CHECK(o.json()["outputs"][0]["shape"] == Json{6});
  CHECK(o.json()["outputs"][1]["shape"] == Json{3});
  const std::string compiled = folder.path("m.webnnc");
  CHECK(webnn_command({"compile", model, "--outputs", "a", "-o", compiled}).code == 0);
}
