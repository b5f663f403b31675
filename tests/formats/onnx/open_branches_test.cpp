// Branches and loops whose conditions and counts follow from open dimensions.
#include "tests/formats/onnx/open.h"

using namespace webnn;
using namespace webnn::onnx::test;
using enum webnn::onnx::ElementType;
using webnn::test::thrown;

namespace {

/// then_branch and else_branch of a condition on the size of dimension 1 of x [batch, n].
Writer if_one(const std::vector<Message>& then_nodes, const std::vector<Message>& else_nodes) {
  const auto graph = [](const std::vector<Message>& nodes) {
    Message g;
    for (const Message& n : nodes) g.message(1, n);
    return g.message(12, Message().text(1, "result"));
  };
  Writer w = with_zeros();
  w.input("x", {"batch", "n"}).output("y").initializer(scalar("one", 1));
  w.initializer(list("one1", {1}));
  size_of(w, "x", 1, "length");
  w.node("Equal", {"length", "one"}, {"is_one"});
  w.node("If", {"is_one"}, {"chosen"},
         {graph_attribute("then_branch", graph(then_nodes)),
          graph_attribute("else_branch", graph(else_nodes))},
         {}, "choice");
  return w;
}

const Message squeezed = node_of("Squeeze", {"x", "one1"}, {"result"});
const Message same = node_of("Identity", {"x"}, {"result"});

}  // namespace

TEST_CASE("onnx: open dimensions: an If whose branches have the same shapes") {
  Writer w = if_one({node_of("Neg", {"x"}, {"result"})}, {same});
  w.node("Add", {"chosen", "x"}, {"y"});
  Imported graph(w);
  for (const std::uint32_t n : some_sizes) {
    const Tensor x = counted({2, n});
    check(graph.run({{"x", x}})[0], {2, n},
          [&](const Dims& p) { return n == 1 ? 0 : 2 * x.at(p); });
  }
}

TEST_CASE("onnx: open dimensions: an If of which the model can take one branch alone") {
  Writer w = if_one({squeezed}, {same});
  w.node("Transpose", {"chosen"}, {"y"}, {attribute("perm", Ints{1, 0})});  // of rank 2
  Imported graph(w);
  for (const std::uint32_t n : {2u, 3u, 16u}) {
    const Tensor x = counted({2, n});
    check(graph.run({{"x", x}})[0], {n, 2}, [&](const Dims& p) { return x.at({p[1], p[0]}); });
  }
  CHECK(graph.refusal({{"x", counted({2, 1})}}) ==
        "TypeError computeShapes: reshapeDynamic [choice: only its else_branch was imported]: "
        "newShape[0] (0) is not between 1 and 2147483647, with batch = 2 and n = 1.");
}

TEST_CASE("onnx: open dimensions: what has to be known is refused by its name") {
  Writer either = if_one({squeezed}, {same});
  either.node("Neg", {"chosen"}, {"y"});
  CHECK(refusal(either) ==
        "NotSupportedError onnx: \"choice\" (If): its condition "
        "follows from dimension 0 (\"batch\") of input \"x\", dimension 1 (\"n\") of input \"x\", "
        "and its branches have "
        "results of different shapes: give a size in the option dimensions, or a shape in the "
        "option shapes.");
  CHECK(refusal(either, {.dimensions = {{"n", 5}}}) == "nothing");

  Writer loop = with_zeros();
  loop.input("x", {"batch", "n"}).output("y");
  size_of(loop, "x", 1, "length");
  Message body;
  body.message(1, node_of("Identity", {"go"}, {"on"})).message(1, node_of("Neg", {"v"}, {"w"}));
  for (const char* name : {"i", "go", "v"}) body.message(11, Message().text(1, name));
  for (const char* name : {"on", "w"}) body.message(12, Message().text(1, name));
  loop.node("Loop", {"length", "", "x"}, {"y"}, {graph_attribute("body", body)}, {}, "repeat");
  CHECK(refusal(loop) ==
        "NotSupportedError onnx: node 3 \"repeat\" (Loop-17): its input 0 (\"length\") has to be "
        "known, but "
        "follows from dimension 0 (\"batch\") of input \"x\", dimension 1 (\"n\") of input \"x\": "
        "give a size in the option dimensions, or a shape in the option shapes.");

  Writer lstm;
  lstm.input("x", {"sequence", "batch", "1"}).output("y");
  lstm.initializer(floats("w", {1, 4, 1}, {1, 2, 3, 4}))
      .initializer(floats("r", {1, 4, 1}, {1, 1, 1, 1}))
      .initializer(floats("p", {1, 3}, {1, 1, 1}));
  lstm.node("LSTM", {"x", "w", "r", "", "", "", "", "p"}, {"", "y"}, {attribute("hidden_size", 1)},
            {}, "cell");
  CHECK(refusal(lstm) ==
        "NotSupportedError onnx: node 0 \"cell\" (LSTM-17): a size has to be known, but its input "
        "\"x\" has "
        "shape [\"sequence\", \"batch\", 1], which follows from dimension 0 (\"sequence\") of "
        "input \"x\", "
        "dimension 1 (\"batch\") of input \"x\": give a size in the option dimensions, or a shape "
        "in the option shapes.");
  CHECK(refusal(lstm, {.dimensions = {{"sequence", 5}}}) == "nothing");
}
