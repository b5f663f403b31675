// What webnn info and webnn graph show of .onnx files, also of those that cannot be imported.
#include "src/formats/common/file_view.h"
#include "tests/formats/onnx/writer.h"
#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/onnx.h"

using namespace webnn;
using namespace webnn::onnx::test;
using formats::FileGraph;
using formats::FileOperator;
using formats::FileView;
using onnx::ElementType;

namespace {

FileView view(const std::vector<std::byte>& file, const ImportOptions& options = {}) {
  const auto owner = std::make_shared<std::vector<std::byte>>(file);
  return onnx::view_file({.owner = owner, .bytes = *owner, .label = "net.onnx"}, options);
}
std::string arguments(const FileGraph& g, const std::vector<formats::FileArgument>& all) {
  std::string s;
  for (const auto& [role, value] : all)
    s += (s.empty() ? "" : "; ") + (role.empty() ? "" : role + " ") + g.values[value].name + ": " +
         g.values[value].type + (g.values[value].is_constant ? " (constant)" : "");
  return s;
}
std::string attributes(const FileOperator& op) {
  std::string s;
  for (const auto& [name, value] : op.attributes)
    s += (s.empty() ? "" : "; ") + name + " = " + value;
  return s;
}

}  // namespace

TEST_CASE("view: operators, attributes and shapes are those of the file") {
  Writer w;
  w.input("x", {"batch", "3", "8", "8"}).output("y");
  w.initializer(floats("w", {4, 3, 3, 3}, std::vector<float>(108, 1)));
  w.node("Conv", {"x", "w"}, {"c"},
         {attribute("kernel_shape", Ints{3, 3}), attribute("auto_pad", "SAME_UPPER")}, {}, "stem");
  w.node("LeakyRelu", {"c"}, {"y"}, {attribute("alpha", 0.25f)});
  const FileView v = view(w.file());
  REQUIRE(v.graphs.size() == 1);
  CHECK(v.refusals.empty());
  const FileGraph& g = v.graphs[0];
  REQUIRE(g.operators.size() == 2);
  const FileOperator &conv = g.operators[0], &relu = g.operators[1];
  CHECK(conv.type == "Conv");
  CHECK(conv.name == "stem");
  CHECK(conv.refusal.empty());
  CHECK(arguments(g, conv.inputs) ==
        "X x: float32 [batch, 3, 8, 8]; W w: float32 [4, 3, 3, 3] (constant)");
  // The file says nothing of the value between the two: the import does.
  CHECK(arguments(g, conv.outputs) == "c: float32 [batch, 4, 8, 8]");
  CHECK(attributes(conv) == "kernel_shape = [3, 3]; auto_pad = SAME_UPPER");
  CHECK(attributes(relu) == "alpha = 0.25");
  CHECK(g.values[g.outputs.at(0)].name == "y");
}

TEST_CASE("view: every operator that is refused has its reason, also behind another one") {
  Writer w;
  w.input("x", {"n", "4"}).output("y");
  w.node("Foo", {"x"}, {"a"}, {attribute("k", 3)}, "my.domain", "first");
  w.node("Relu", {"a"}, {"b"});
  w.node("Bar", {"b"}, {"c"});
  w.node("Foo", {"x"}, {"d"}, {}, "my.domain");
  w.node("Softmax", {"x"}, {"e"}, {attribute("wrong", 1)});
  w.node("Sum", {"c", "d", "e"}, {"y"});
  w.domains.emplace_back("my.domain", 1);
  const FileView v = view(w.file());
  const FileGraph& g = v.graphs.at(0);
  std::string refused;
  for (const FileOperator& op : g.operators)
    if (!op.refusal.empty()) refused += op.type + ": " + op.refusal + '\n';
  CHECK(refused ==
        "my.domain.Foo: it has no WebNN counterpart\n"
        "Bar: it has no WebNN counterpart\n"
        "my.domain.Foo: it has no WebNN counterpart\n"
        "Softmax: its attribute \"wrong\" is not one that is known\n");
  CHECK(v.refusals.empty());
  // The import names the same ones.
  const std::string message = webnn::test::thrown([&] {
    MLGraphBuilder b(webnn::test::plain_context());
    onnx::import_model(b, w.file());
  });
  for (const char* part : {"node 0 \"first\" (my.domain:Foo-1)", "node 2 (Bar-17)",
                           "node 3 (my.domain:Foo-1)", "node 4 (Softmax-17)"}) {
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
  }
}

TEST_CASE("view: subgraphs, functions and what the file says of itself") {
  Message yes, no;
  yes.message(1, node_of("Neg", {"x"}, {"u"})).message(12, Message().text(1, "u"));
  no.message(1, node_of("Mystery", {"x"}, {"v"})).message(12, Message().text(1, "v"));
  Writer w;
  w.input("x", {"2"}).input("sr", {}, ElementType::INT64).output("y");
  w.initializer(int64s("k", {}, {16000}));
  w.node("Equal", {"sr", "k"}, {"is"});
  w.node("If", {"is"}, {"y"},
         {graph_attribute("then_branch", yes), graph_attribute("else_branch", no)}, {}, "choose");
  const FileView v = view(w.file());
  REQUIRE(v.graphs.size() == 3);
  CHECK(v.graphs[1].title == "then_branch of node 1 (choose)");
  CHECK(v.graphs[2].operators.at(0).type == "Mystery");
  CHECK(v.graphs[2].operators[0].refusal == "it has no WebNN counterpart");
  const FileOperator& branch = v.graphs[0].operators.at(1);
  CHECK(branch.graphs == std::vector<std::size_t>{1, 2});
  CHECK(branch.refusal ==
        "the condition, which chooses one of its branches, has to be known, but follows from the "
        "model's input \"sr\" (int64 []): give its value to the import, in the option values");
  std::string says;
  for (const auto& [name, value] : v.properties) says += name + " " + value + "; ";
  CHECK(says.find("operator set ai.onnx 17; ") != std::string::npos);
  // With the value, one branch is all that is imported.
  ImportOptions o;
  const std::int64_t rate = 16000;
  const auto bytes = std::as_bytes(std::span(&rate, 1));
  o.values["sr"] = {{}, {bytes.begin(), bytes.end()}, {}};
  CHECK(view(w.file(), o).graphs[0].operators.at(1).refusal.empty());
}

TEST_CASE("view: a broken protobuf is refused with the place, and a circle of nodes is shown") {
  Writer w;
  w.input("x", {"2"}).output("y").node("Relu", {"x"}, {"y"});
  std::vector<std::byte> file = w.file();
  // Field 5 of the first node is one byte longer than the node.
  Message node;
  node.text(1, "x").text(2, "y").text(4, "Relu");
  std::string bad = node.text();
  bad += "\x2a\x05\x0a";
  Message graph, model;
  graph.message(1, node).text(1, bad);
  model.integer(1, 8).message(7, graph);
  const auto bytes = model.bytes();
  const std::string message = webnn::test::thrown([&] { view(bytes); });
  INFO(message);
  CHECK(message.find("DataError onnx [net.onnx]: the protobuf message is broken: ") == 0);
  CHECK(message.find("in graph.node[1].attribute[0].") != std::string::npos);
  const std::size_t at = 2 + 2 + (2 + node.text().size()) + 2 + node.text().size();
  CHECK(message.find("at byte " + std::to_string(at) + ",") != std::string::npos);

  Writer circle;
  circle.input("x", {"2"}).output("y");
  circle.node("Add", {"x", "b"}, {"a"}).node("Add", {"x", "a"}, {"b"}).node("Relu", {"a"}, {"y"});
  const FileView v = view(circle.file());
  CHECK(v.graphs.at(0).operators.size() == 3);
  CHECK(v.refusals.size() == 1);
}
