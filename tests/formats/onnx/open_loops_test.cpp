// Loop and Scan whose number of iterations follows from open dimensions: each combination of sizes
// unrolls them.
#include "tests/formats/onnx/open.h"

using namespace webnn;
using namespace webnn::onnx::test;
using enum webnn::onnx::ElementType;
using webnn::test::thrown;

namespace {

const Message keep_on = node_of("Identity", {"go"}, {"on"});
/// row: the i-th row of x.
const Message row_of_x = node_of("Gather", {"x", "i"}, {"row"}, {attribute("axis", 0)});

/// x has the dimensions, and `length` is the size of its first one.
Writer over_x(const std::vector<std::string>& dims, const std::vector<std::string>& outputs) {
  Writer w = with_zeros();
  w.input("x", dims);
  for (const std::string& y : outputs) w.output(y);
  size_of(w, "x", 0, "length");
  return w;
}

/// h' = tanh(x W + h R) for each row of x [steps, batch, 2], with all h.
Writer recurrent(bool scan) {
  Writer w = over_x({"steps", "batch", "2"}, {"last", "all"});
  w.initializer(floats("w", {2, 3}, {0.5f, -0.25f, 0.75f, 0.125f, 1, -0.5f}))
      .initializer(floats("r", {3, 3}, {0.5f, 0.25f, -1, 0, 0.5f, 0.25f, -0.125f, 0.75f, 0.5f}));
  // A state of [batch, 3] that is made of sizes.
  w.initializer(list("one1", {1})).initializer(list("three", {3})).initializer(list("two1", {2}));
  w.node("Slice", {"length_shape", "one1", "two1"}, {"batch1"});
  w.node("Concat", {"batch1", "three"}, {"h_shape"}, {attribute("axis", 0)});
  w.node("ConstantOfShape", {"h_shape"}, {"h0"});
  std::vector<Message> nodes{node_of("MatMul", {"row", "w"}, {"a"}),
                             node_of("MatMul", {"h", "r"}, {"b"}),
                             node_of("Add", {"a", "b"}, {"sum"}), node_of("Tanh", {"sum"}, {"h1"}),
                             node_of("Identity", {"h1"}, {"h2"})};
  if (scan) {
    w.node("Scan", {"h0", "x"}, {"last", "all"},
           {graph_attribute("body", graph_of(nodes, {"h", "row"}, {"h1", "h2"})),
            attribute("num_scan_inputs", 1)},
           {}, "cell");
  } else {
    nodes.insert(nodes.begin(), {row_of_x, keep_on});
    w.node("Loop", {"length", "", "h0"}, {"last", "all"},
           {graph_attribute("body", graph_of(nodes, {"i", "go", "h"}, {"on", "h1", "h2"}))}, {},
           "cell");
  }
  return w;
}

/// The same in double precision: h of each step.
std::vector<Doubles> recurrent_states(const Tensor& x) {
  const double w[2][3] = {{0.5, -0.25, 0.75}, {0.125, 1, -0.5}},
               r[3][3] = {{0.5, 0.25, -1}, {0, 0.5, 0.25}, {-0.125, 0.75, 0.5}};
  const std::uint32_t batch = x.shape[1];
  std::vector<Doubles> all;
  Doubles h(std::size_t{batch} * 3);
  for (std::uint32_t t = 0; t < x.shape[0]; ++t) {
    Doubles next(h.size());
    for (std::uint32_t n = 0; n < batch; ++n)
      for (std::size_t k = 0; k < 3; ++k) {
        double sum = 0;
        for (std::uint32_t j = 0; j < 2; ++j) sum += x.at({t, n, j}) * w[j][k];
        for (std::size_t j = 0; j < 3; ++j) sum += h[n * 3 + j] * r[j][k];
        next[n * 3 + k] = std::tanh(sum);
      }
    all.push_back(h = std::move(next));
  }
  return all;
}

Tensor scaled(Tensor x, double by) {
  for (std::size_t i = 0; i < x.size(); ++i) x.set(i, x[i] * by - 0.5);
  return x;
}

}  // namespace

TEST_CASE("onnx: open dimensions: a recurrent network in a Loop or a Scan") {
  for (const bool scan : {false, true}) {
    CAPTURE(scan);
    const Writer w = recurrent(scan);
    Imported graph(w);
    for (const std::uint32_t steps : some_sizes)
      for (const std::uint32_t batch : {1u, 2u}) {
        CAPTURE(steps, batch);
        const Tensor x = scaled(counted({steps, batch, 2}), 1.0 / 23);
        const std::vector<Tensor> y = graph.run({{"x", x}});
        const auto expected = recurrent_states(x);
        check(y[0], {batch, 3}, [&](const Dims& p) { return expected.back()[p[0] * 3 + p[1]]; });
        check(y[1], {steps, batch, 3},
              [&](const Dims& p) { return expected[p[0]][p[1] * 3 + p[2]]; });
        // As with sizes that are given to the import.
        const std::vector<Tensor> fixed =
            run(w.file(), {{"x", x}}, {.dimensions = {{"steps", steps}, {"batch", batch}}});
        for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i].bytes == fixed[i].bytes);
      }
  }
}

TEST_CASE("onnx: open dimensions: a state that grows in each iteration") {
  // acc = concat(acc, row * row), from one row.
  Writer w = over_x({"n", "2"}, {"y"});
  w.initializer(floats("start", {1, 2}, {-1, -2}));
  const std::vector<Message> nodes{
      row_of_x, keep_on, node_of("Mul", {"row", "row"}, {"square"}),
      node_of("Unsqueeze", {"square", "zeros"}, {"line"}),
      node_of("Concat", {"acc", "line"}, {"longer"}, {attribute("axis", 0)})};
  w.node("Loop", {"length", "", "start"}, {"y"},
         {graph_attribute("body", graph_of(nodes, {"i", "go", "acc"}, {"on", "longer"}))});
  Imported graph(w);
  for (const std::uint32_t n : some_sizes) {
    const Tensor x = counted({n, 2});
    check(graph.run({{"x", x}})[0], {n + 1, 2}, [&](const Dims& p) {
      if (p[0] == 0) return -1.0 - p[1];
      const double v = x.at({p[0] - 1, p[1]});
      return v * v;
    });
  }
}

TEST_CASE("onnx: open dimensions: sizes that follow from the iteration") {
  // The sums of the rows up to each one.
  Writer w = over_x({"n", "2"}, {"y"});
  w.initializer(scalar("one", 1));
  const std::vector<Message> nodes{
      keep_on, node_of("Add", {"i", "one"}, {"behind"}),
      node_of("Unsqueeze", {"behind", "zeros"}, {"end"}),
      node_of("Slice", {"x", "zeros", "end"}, {"rows"}),
      node_of("ReduceSum", {"rows", "zeros"}, {"sum"}, {attribute("keepdims", 0)})};
  w.node("Loop", {"length", ""}, {"y"},
         {graph_attribute("body", graph_of(nodes, {"i", "go"}, {"on", "sum"}))});
  Imported graph(w);
  for (const std::uint32_t n : some_sizes) {
    const Tensor x = counted({n, 2});
    check(graph.run({{"x", x}})[0], {n, 2}, [&](const Dims& p) {
      double sum = 0;
      for (std::uint32_t r = 0; r <= p[0]; ++r) sum += x.at({r, p[1]});
      return sum;
    });
  }
}

TEST_CASE("onnx: open dimensions: a Loop with a condition") {
  // While 2 * count < length, from count = 0, the rows are doubled; count is carried.
  Writer w = over_x({"n", "2"}, {"y", "count"});
  w.initializer(scalar("none", 0)).initializer(scalar("one", 1));
  w.node("Less", {"none", "length"}, {"first"});
  const std::vector<Message> nodes{
      node_of("Add", {"v", "v"}, {"twice"}), node_of("Add", {"k", "one"}, {"k1"}),
      node_of("Add", {"k1", "k1"}, {"k2"}), node_of("Less", {"k2", "length"}, {"on"})};
  w.node("Loop", {"", "first", "x", "none"}, {"y", "count"},
         {graph_attribute("body", graph_of(nodes, {"i", "go", "v", "k"}, {"on", "twice", "k1"}))});
  Imported graph(w);
  for (const std::uint32_t n : {1u, 2u, 3u, 7u, 16u}) {
    const Tensor x = counted({n, 2});
    const std::vector<Tensor> y = graph.run({{"x", x}});
    const std::uint32_t times = (n + 1) / 2;
    check(y[0], {n, 2},
          [&](const Dims& p) { return std::ldexp(x.at(p), static_cast<int>(times)); });
    CHECK(y[1][0] == times);
  }
}

TEST_CASE("onnx: open dimensions: a Loop in a Loop") {
  // For each picture of x [n, m] the sum of (k + 1) * x[i, k], in a loop over k.
  Writer w = over_x({"n", "m"}, {"y"});
  w.initializer(scalar("one", 1)).initializer(floats("zero", {}, {0}));
  size_of(w, "x", 1, "columns");
  const std::vector<Message> inner{node_of("Identity", {"go2"}, {"on2"}),
                                   node_of("Gather", {"row", "k"}, {"v"}),
                                   node_of("Add", {"k", "one"}, {"k1"}),
                                   node_of("Cast", {"k1"}, {"factor"}, {attribute("to", 1)}),
                                   node_of("Mul", {"v", "factor"}, {"product"}),
                                   node_of("Add", {"s", "product"}, {"s1"})};
  const std::vector<Message> outer{
      row_of_x, keep_on,
      node_of("Loop", {"columns", "", "zero"}, {"total"},
              {graph_attribute("body", graph_of(inner, {"k", "go2", "s"}, {"on2", "s1"}))})};
  w.node("Loop", {"length", ""}, {"y"},
         {graph_attribute("body", graph_of(outer, {"i", "go"}, {"on", "total"}))});
  Imported graph(w);
  for (const std::uint32_t n : {1u, 2u, 7u})
    for (const std::uint32_t m : {1u, 3u, 16u}) {
      const Tensor x = counted({n, m});
      check(graph.run({{"x", x}})[0], {n}, [&](const Dims& p) {
        double sum = 0;
        for (std::uint32_t k = 0; k < m; ++k) sum += (k + 1.0) * x.at({p[0], k});
        return sum;
      });
    }
}

TEST_CASE("onnx: open dimensions: loops that cannot be unrolled are refused by their names") {
  const auto loop = [](const std::vector<Message>& nodes, const Names& inputs, const Names& outputs,
                       const Names& given, const Names& results) {
    Writer w = over_x({"n", "2"}, {results.front()});
    w.node("Loop", given, results, {graph_attribute("body", graph_of(nodes, inputs, outputs))}, {},
           "repeat");
    return w;
  };
  // A condition on elements.
  const Writer data = loop(
      {node_of("ReduceMax", {"v"}, {"m"}, {attribute("keepdims", 0)}),
       node_of("Cast", {"m"}, {"on"}, {attribute("to", 9)}), node_of("Add", {"v", "v"}, {"v1"})},
      {"i", "go", "v"}, {"on", "v1"}, {"length", "", "x"}, {"y"});
  CHECK(refusal(data) ==
        "NotSupportedError onnx: node 3 \"repeat\" (Loop-17): the condition of the loop does not "
        "follow from sizes.");
  // A state of another rank.
  const Writer rank = loop({keep_on, node_of("Unsqueeze", {"v", "zeros"}, {"v1"})},
                           {"i", "go", "v"}, {"on", "v1"}, {"length", "", "x"}, {"y"});
  CHECK(refusal(rank) ==
        "NotSupportedError onnx: node 3 \"repeat\" (Loop-17): a state has rank 2 before an "
        "iteration and 3 after it.");
  // Too many iterations are refused when sizes are known, and the graph runs at others.
  const Writer many = loop({keep_on, node_of("Neg", {"v"}, {"v1"})}, {"i", "go", "v"}, {"on", "v1"},
                           {"length", "", "x"}, {"y"});
  Imported graph(many);
  CHECK(graph.refusal({{"x", Tensor{float32, {65537, 2}, std::vector<std::byte>(65537 * 8)}}}) ==
        "TypeError computeShapes: loop [repeat]: it has more than 65536 iterations, with n = "
        "65537.");
  const Tensor x = counted({3, 2});
  check(graph.run({{"x", x}})[0], {3, 2}, [&](const Dims& p) { return -x.at(p); });
}
