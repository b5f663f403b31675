// Branches and loops whose conditions and counts follow from open dimensions.
#include "tests/formats/onnx/open.h"

using namespace webnn;
using namespace webnn::onnx::test;
using enum webnn::onnx::ElementType;
using webnn::test::thrown;

namespace {

/// then_branch and else_branch of a condition on the size of dimension 1 of x [batch, n].
Writer if_one(const std::vector<Message>& then_nodes, const std::vector<Message>& else_nodes) {
  Writer w = with_zeros();
  w.input("x", {"batch", "n"}).output("y").initializer(scalar("one", 1));
  w.initializer(list("one1", {1}));
  size_of(w, "x", 1, "length");
  w.node("Equal", {"length", "one"}, {"is_one"});
  w.node("If", {"is_one"}, {"chosen"},
         {graph_attribute("then_branch", graph_of(then_nodes, {}, {"result"})),
          graph_attribute("else_branch", graph_of(else_nodes, {}, {"result"}))},
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
  // With the size it is unrolled, also where the batch stays open.
  for (const std::uint32_t n : {1u, 4u, 5u}) {
    const Tensor x = counted({2, n});
    const Tensor y = run(loop.file(), {{"x", x}}, {.dimensions = {{"n", n}}}).front();
    check(y, x.shape, [&](const Dims& p) { return n % 2 ? -x.at(p) : x.at(p); });
  }

  Writer scan;
  scan.input("x", {"n", "2"}).output("sum").output("sums");
  scan.initializer(floats("zeros", {2}, {0, 0}));
  Message step;
  step.message(1, node_of("Add", {"before", "row"}, {"after"}))
      .message(1, node_of("Identity", {"after"}, {"copy"}));
  for (const char* name : {"before", "row"}) step.message(11, Message().text(1, name));
  for (const char* name : {"after", "copy"}) step.message(12, Message().text(1, name));
  scan.node("Scan", {"zeros", "x"}, {"sum", "sums"},
            {graph_attribute("body", step), attribute("num_scan_inputs", 1)}, {}, "sums of rows");
  for (const std::uint32_t n : {1u, 4u}) {
    const Tensor x = counted({n, 2});
    const std::vector<Tensor> y = run(scan.file(), {{"x", x}}, {.dimensions = {{"n", n}}});
    const auto sum = [&](std::uint32_t rows, std::uint32_t column) {
      double s = 0;
      for (std::uint32_t r = 0; r < rows; ++r) s += x.at({r, column});
      return s;
    };
    check(y[0], {2}, [&](const Dims& p) { return sum(n, p[0]); });
    check(y[1], {n, 2}, [&](const Dims& p) { return sum(p[0] + 1, p[1]); });
  }

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
