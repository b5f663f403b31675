// Nodes in any order: they are sorted, and refused where they need each other's results.
#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;
using webnn::test::tensor;
using enum ElementType;

namespace {

/// If with the known condition 1: its result is `name` of the graph.
std::vector<Message> branches(const Message& graph) {
  return {graph_attribute("then_branch", graph), graph_attribute("else_branch", graph)};
}
Message yes() { return onnx::test::tensor("yes", BOOL, {}, std::vector<std::uint8_t>{1}); }
const std::map<std::string, Tensor> x{{"x", tensor(float32, {2}, {-1, 2})}};

}  // namespace

TEST_CASE("onnx: nodes that stand before those whose results they read") {
  Writer w;
  w.input("x", {"2"}).output("y");
  w.node("Add", {"a", "b"}, {"y"}, {}, {}, "last").node("Abs", {"b"}, {"a"}, {}, {}, "second");
  w.node("Neg", {"x"}, {"b"}, {}, {}, "first");
  webnn::test::Builder b;
  const Model m = import_model(b, w.file());
  CHECK(run(b, m, x).at(0).bytes == tensor(float32, {2}, {2, 0}).bytes);
}

TEST_CASE("onnx: nodes that may stand anywhere keep the order of the file") {
  Writer w;
  w.input("x", {"2"}).output("e").output("d");
  w.node("None0", {"x"}, {"a"}).node("None1", {"x"}, {"b"}).node("None2", {"c"}, {"d"});
  w.node("None3", {"x"}, {"e"}).node("Add", {"a", "b"}, {"c"});
  CHECK(refusal(w) ==
        "NotSupportedError onnx: node 0 (None0-17): it has no WebNN counterpart; node 1 "
        "(None1-17): it has no WebNN counterpart; node 2 (None2-17): it has no WebNN counterpart; "
        "node 3 (None3-17): it has no WebNN counterpart.");
}

TEST_CASE("onnx: subgraphs read values of nodes that stand behind") {
  // The branch reads `late`, and has its own nodes the wrong way round; its own `b` is not that of
  // the graph around it.
  const Message branch =
      graph_of({node_of("Abs", {"b"}, {"c"}), node_of("Neg", {"late"}, {"b"})}, {}, {"c"});
  Writer w;
  w.input("x", {"2"}).output("y").output("b").initializer(yes());
  w.node("If", {"yes"}, {"y"}, branches(branch)).node("Exp", {"y"}, {"b"});
  w.node("Add", {"x", "x"}, {"late"});
  CHECK(run(w.file(), x).at(0).bytes == tensor(float32, {2}, {2, 4}).bytes);
}

TEST_CASE("onnx: functions with nodes in any order") {
  Writer w;
  Message f;
  f.text(1, "F").text(4, "in").text(5, "out").text(10, "mine");
  f.message(7, node_of("Abs", {"middle"}, {"out"})).message(7, node_of("Neg", {"in"}, {"middle"}));
  f.message(9, Message().text(1, "").integer(2, 17));
  w.domains.push_back({"mine", 1});
  w.functions.push_back(f);
  w.input("x", {"2"}).output("y").node("F", {"x"}, {"y"}, {}, "mine");
  CHECK(run(w.file(), x).at(0).bytes == tensor(float32, {2}, {1, 2}).bytes);
}

TEST_CASE("onnx: cycles are refused with the nodes and the values") {
  Writer two;
  two.input("x", {"2"}).output("y");
  two.node("Add", {"x", "b"}, {"y"}, {}, {}, "sum").node("Neg", {"y"}, {"b"});
  CHECK(refusal(two) ==
        "DataError onnx: the nodes form a cycle: node 0 \"sum\" (Add-17) reads \"b\" of node 1 "
        "(Neg-17), which reads \"y\" of node 0 \"sum\" (Add-17).");
  Writer itself;
  itself.input("x", {"2"}).output("y").node("Add", {"x", "y"}, {"y"});
  CHECK(refusal(itself) ==
        "DataError onnx: the nodes form a cycle: node 0 (Add-17) reads \"y\" of itself.");
  Writer inner;
  inner.input("x", {"2"}).output("y").initializer(yes());
  inner.node("If", {"yes"}, {"y"},
             branches(graph_of({node_of("Add", {"x", "d"}, {"c"}), node_of("Neg", {"c"}, {"d"})},
                               {}, {"c"})));
  CHECK(refusal(inner) ==
        "DataError onnx: node 0 (If-17): the nodes form a cycle: node 0 (Add-17) reads \"d\" of "
        "node 1 (Neg-17), which reads \"c\" of node 0 (Add-17).");
  Writer through;
  through.input("x", {"2"}).output("y").initializer(yes());
  through.node("If", {"yes"}, {"y"}, branches(graph_of({node_of("Neg", {"z"}, {"c"})}, {}, {"c"})));
  through.node("Abs", {"y"}, {"z"});
  CHECK(refusal(through) ==
        "DataError onnx: the nodes form a cycle: node 0 (If-17) reads \"z\" of node 1 (Abs-17), "
        "which reads \"y\" of node 0 (If-17).");
  // What no result needs is not read, and has no order.
  Writer unused;
  unused.input("x", {"2"}).output("y").node("Abs", {"x"}, {"y"});
  unused.node("Neg", {"b"}, {"a"}).node("Neg", {"a"}, {"b"});
  CHECK(refusal(unused) == "nothing");
}

TEST_CASE("onnx: long chains in the wrong order, and long cycles") {
  constexpr int n = 20000;
  const auto name = [](int i) { return "v" + std::to_string(i); };
  for (const bool cycle : {false, true}) {
    Writer w;
    w.input("x", {"2"}).output(name(0));
    for (int i = 0; i < n; ++i) w.node("Neg", {name(i + 1)}, {name(i)});
    w.node("Abs", {cycle ? name(0) : "x"}, {name(n)});
    if (!cycle) {
      CHECK(refusal(w) == "nothing");
      continue;
    }
    const std::string message = refusal(w);
    CHECK(
        message.starts_with("DataError onnx: the nodes form a cycle: node 0 (Neg-17) reads "
                            "\"v1\" of node 1 (Neg-17), which reads \"v2\" of node 2 (Neg-17)"));
    CHECK(message.ends_with(", and so on through 19992 more nodes."));
  }
}
