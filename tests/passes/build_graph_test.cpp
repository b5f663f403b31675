// Graphs compiled from graphs, and what a compiled graph reports.
#include "src/passes/rewriter.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/passes.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1 {
namespace {

/// y = relu(x * 2 + 1), z = -x
Graph small(const MLContext& context) {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {3}});
  const MLOperand two = b.constant(float32, 2.0), one = b.constant(float32, 1.0);
  const MLOperand y = b.relu(b.add(b.mul(x, two), one), {.label = "last"});
  return b.build({{"y", y}, {"z", b.neg(x)}}).graph();
}

std::vector<float> run(MLContext context, const MLGraph& g, std::string_view output) {
  const std::vector<float> x = {-1, 0, 3};
  std::vector<float> y(3);
  context.compute(g, {{"x", x}}, {{output, y}});
  return y;
}

TEST_CASE("build_graph: with all, some and no passes") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {3}});
  const Graph graph = b.build({{"y", b.neg(b.identity(b.neg(x)))}}).graph();
  REQUIRE(graph.size() == 3);

  const MLGraph none = build_graph(context, graph, {});
  CHECK(none.optimized().size() == 3);
  CHECK(none.report().passes.empty());
  const auto passes = all_passes();
  const MLGraph one = build_graph(context, graph, passes.first(1));
  CHECK(one.optimized().size() == 2);
  REQUIRE(one.report().passes.size() == 1);
  CHECK(one.report().passes[0].name == passes[0].name);
  CHECK(one.report().passes[0].before == 3);
  CHECK(one.report().passes[0].after == 2);
  const MLGraph all = build_graph(MLContext({.threads = 1, .backends = {"reference"}}), graph);
  CHECK(all.report().passes.size() == passes.size());
  CHECK(run(context, none, "y") == std::vector<float>{-1, 0, 3});
  CHECK(run(context, one, "y") == std::vector<float>{-1, 0, 3});
}

/// The graph with another operator for each node, whose result is said to be that of the node.
template <class F> Graph replaced(const Graph& graph, F f) {
  return with_replaced(graph, [&](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
    return to.add(f(to(node.input(0))), node.output().descriptor());
  });
}

TEST_CASE("build_graph: a pass that makes another graph is named, and nothing is built") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 3}});
  const Graph graph = b.build({{"y", b.neg(x)}}).graph();
  const auto built_by = [&](Graph (*run)(const Graph&)) {
    const Pass wrong{"wrong", run};
    return test::thrown([&] { build_graph(context, graph, {&wrong, 1}); });
  };
  // An axis beyond the rank, a result of another shape or data type than the operator makes.
  const auto beyond = [](const Graph& g) {
    return replaced(g, [](const MLOperand& in) {
      return ops::layerNormalization{in, {.axes = Dims{2}, .label = "norm"}};
    });
  };
  CHECK(built_by(beyond) ==
        "OperationError build: internal error: the pass wrong makes layerNormalization [norm]: "
        "axes[0] (2) is not less than the rank (2) of input; WEBNN_PASSES=-wrong builds without "
        "it.");
  const auto flat = [](const Graph& g) {
    return replaced(g, [](const MLOperand& in) { return ops::reshape{in, {6}}; });
  };
  CHECK(built_by(flat) ==
        "OperationError build: internal error: the pass wrong makes reshape: result 0 is float32 "
        "[2, 3], but its operands make float32 [6]; WEBNN_PASSES=-wrong builds without it.");
  const auto integers = [](const Graph& g) {
    return replaced(g, [](const MLOperand& in) { return ops::cast{in, int32}; });
  };
  CHECK(built_by(integers) ==
        "OperationError build: internal error: the pass wrong makes cast: result 0 is float32 [2, "
        "3], but its operands make int32 [2, 3]; WEBNN_PASSES=-wrong builds without it.");
  // Outputs of another shape, of another name, and one more.
  const auto larger = [](const Graph& g) {
    return with_replaced(g, [](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
      return to.add(ops::reshape{to(node.input(0)), {3, 2}}, {float32, {3, 2}});
    });
  };
  CHECK(built_by(larger) ==
        "OperationError build: internal error: the pass wrong makes output \"y\" float32 [3, 2], "
        "not float32 [2, 3]; WEBNN_PASSES=-wrong builds without it.");
  const auto renamed = [](const Graph& g) { return with_outputs(g, {{"z", g.node(0).output()}}); };
  CHECK(built_by(renamed) ==
        "OperationError build: internal error: the pass wrong makes output 0 \"z\", not \"y\"; "
        "WEBNN_PASSES=-wrong builds without it.");
  const auto more = [](const Graph& g) {
    return with_outputs(g, {{"y", g.node(0).output()}, {"z", g.node(0).output()}});
  };
  CHECK(built_by(more) ==
        "OperationError build: internal error: the pass wrong makes a graph with 2 outputs, not 1; "
        "WEBNN_PASSES=-wrong builds without it.");
}

TEST_CASE("build_graph: an operator that a pass keeps behind another shape is refused") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 3}});
  const Graph graph = b.build({{"y", b.relu(b.neg(x), {.label = "kept"})}}).graph();
  const auto flat = [](const Graph& g) {
    return with_replaced(g, [](const Node& node, Rewriter& to) -> std::optional<MLOperand> {
      if (!as<ops::neg>(node)) return std::nullopt;
      return to.add(ops::reshape{to(node.input(0)), {6}}, {float32, {6}});
    });
  };
  const Pass wrong{"wrong", flat};
  CHECK(
      test::thrown([&] {
        build_graph(context, graph, {&wrong, 1});
      }) ==
      "OperationError build: internal error: the pass wrong makes relu [kept]: result 0 is "
      "float32 [2, 3], but its operands make float32 [6]; WEBNN_PASSES=-wrong builds without it.");
}

TEST_CASE("build_graph: a context that is lost") {
  MLContext context({.threads = 1});
  const Graph graph = small(context);
  context.destroy();
  CHECK_THROWS_AS(build_graph(context, graph), InvalidStateError);
}

TEST_CASE("with_outputs: every result may be an output") {
  MLContext context({.threads = 1});
  const Graph graph = small(context);
  NamedOperands all;
  for (std::size_t i = 0; i < graph.size(); ++i)
    all.push_back({"n" + std::to_string(i), graph.node(i).output()});
  const Graph wide = with_outputs(graph, all);
  CHECK(wide.size() == graph.size());
  REQUIRE(wide.outputs().size() == 4);
  const MLGraph g = build_graph(context, wide);
  CHECK(run(context, g, "n0") == std::vector<float>{-2, 0, 6});
  CHECK(run(context, g, "n1") == std::vector<float>{-1, 1, 7});
  CHECK(run(context, g, "n2") == std::vector<float>{0, 1, 7});
  CHECK(run(context, g, "n3") == std::vector<float>{1, 0, -3});

  const Graph less = with_outputs(graph, {{"only", graph.node(0).output()}});
  CHECK(less.size() == 1);
  CHECK(less.inputs().size() == 1);
}

TEST_CASE("with_outputs: what is refused") {
  const MLContext context({.threads = 1});
  const Graph graph = small(context), other = small(context);
  const MLOperand y = graph.node(0).output();
  CHECK_THROWS_AS(with_outputs(graph, {}), TypeError);
  CHECK_THROWS_AS(with_outputs(graph, {{"", y}}), TypeError);
  CHECK_THROWS_AS(with_outputs(graph, {{"a", y}, {"a", y}}), TypeError);
  CHECK_THROWS_AS(with_outputs(graph, {{"a", other.node(0).output()}}), TypeError);
  CHECK_THROWS_AS(with_outputs(graph, {{"a", graph.inputs()[0].operand}}), TypeError);
  CHECK_THROWS_AS(with_outputs(graph, {{"a", MLOperand()}}), TypeError);
}

TEST_CASE("report: steps are those of profile() and name their operators") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  const MLGraph g = build_graph(context, small(context));
  const GraphReport r = g.report();
  CHECK(r.threads == 1);
  CHECK(r.steps.size() == context.profile(g, 1).size());
  std::size_t operators = 0;
  for (const StepReport& s : r.steps) {
    CHECK(s.backend == "reference");
    CHECK(s.tiles >= 1);
    CHECK_FALSE(s.kernel.empty());
    operators += s.operators.size();
  }
  CHECK(operators == g.optimized().size());
  CHECK(r.arena >= r.arena_at_least);
  CHECK_THROWS_AS(MLGraph().report(), InvalidStateError);
}

TEST_CASE("Node: operands by name, attributes that are not default") {
  MLGraphBuilder b(MLContext({.threads = 1}));
  const MLOperand x = b.input("x", {float32, {1, 2, 4, 4}});
  const MLOperand w = b.constant({float32, {1, 2, 1, 1}}, {1.f, 2.f});
  const MLOperand bias = b.constant({float32, {1}}, {3.f});
  const MLOperand y = b.conv2d(x, w, {.strides = {2, 2}, .bias = bias, .label = "stem"});
  const Graph graph = b.build({{"y", b.concat({y, y}, 1)}}).graph();
  const auto operands = graph.node(0).named_inputs();
  REQUIRE(operands.size() == 3);
  CHECK(operands[0].name == "input");
  CHECK(operands[1].name == "filter");
  CHECK(operands[2].name == "bias");
  CHECK(operands[2].operand.constant());
  using Attributes = std::vector<NamedAttribute>;
  CHECK(graph.node(0).attributes() == Attributes{{"strides", "[2, 2]"}});
  CHECK(graph.node(1).named_inputs().size() == 2);
  CHECK(graph.node(1).named_inputs()[1].name == "inputs");
  CHECK(graph.node(1).attributes() == Attributes{{"axis", "1"}});
}

}  // namespace
}  // namespace webnn::inline v0_1
