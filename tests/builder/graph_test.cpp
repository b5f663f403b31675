// Graph: what build() makes of a builder, and how it is printed and compared.
#include "src/graph/graph_data.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

const MLContext& context() {
  static const MLContext c({.threads = 1, .backends = {"reference"}});
  return c;
}
Graph graph_to(const MLOperand& y) { return graph_of(copy(*owner_of(y), {{"y", y}})); }

}  // namespace

TEST_CASE("operators come after the producers of their operands, once each") {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("x", {float32, {2, 3}});
  const MLOperand shared = b.exp(x);
  MLOperand y = shared;
  for (int i = 0; i < 30; ++i) y = b.add(y, y);  // 2^30 paths
  const Graph g = graph_to(b.mul(y, shared));
  REQUIRE(g.size() == 32);
  for (std::size_t i = 0; i < g.size(); ++i)
    for (const MLOperand& in : g.node(i).inputs())
      if (in.record().kind == OperandKind::result) CHECK(in.record().producer < i);
}

TEST_CASE("a graph may be deep") {
  MLGraphBuilder b(context());
  MLOperand y = b.input("x", {float32, {1}});
  for (int i = 0; i < 20000; ++i) y = b.neg(y);
  CHECK(graph_to(y).size() == 20000);
}

TEST_CASE("numbering does not depend on the order of the calls") {
  const auto build = [](bool first) {
    MLGraphBuilder b(context());
    const MLOperand x = b.input("x", {float32, {4}});
    MLOperand l, r;
    if (first) l = b.relu(x), r = b.neg(x);
    else r = b.neg(x), l = b.relu(x);
    return graph_to(b.add(l, r));
  };
  CHECK(to_text(build(true)) == to_text(build(false)));
  CHECK(build(true) == build(false));
  CHECK(hash_of(build(true)) == hash_of(build(false)));
}

TEST_CASE("equality sees attributes, constants and shapes, and no labels") {
  const auto build = [](auto make) {
    MLGraphBuilder b(context());
    return graph_to(make(b, b.input("x", {float32, {4, 4}})));
  };
  const Graph a = build([](auto& b, auto x) { return b.elu(x, {.alpha = 2}); });
  CHECK(a == build([](auto& b, auto x) { return b.elu(x, {.alpha = 2, .label = "e"}); }));
  CHECK(!(a == build([](auto& b, auto x) { return b.elu(x, {.alpha = 3}); })));
  CHECK(!(a == build([](auto& b, auto x) { return b.leakyRelu(x, {.alpha = 2}); })));
  const auto with = [&](float v) {
    return build([v](auto& b, auto x) { return b.mul(x, b.constant(float32, v)); });
  };
  CHECK(with(1) == with(1));
  CHECK(!(with(1) == with(2)));
  CHECK(!(with(0.f) == with(-0.f)));
  const auto linear = [&](double beta) {
    return build([beta](auto& b, auto x) { return b.linear(x, {.alpha = 1, .beta = beta}); });
  };
  CHECK(!(linear(0.0) == linear(-0.0)));
}

TEST_CASE("text") {
  MLGraphBuilder b(context());
  const MLOperand x = b.input("a \"b\"\n", {float32, {1, 2, 4, 4}});
  const MLOperand w = b.constant({float32, {3, 2, 1, 1}}, std::vector<float>(6));
  const Graph g = graph_to(b.conv2d(x, w, {.strides = {2, 2}, .label = "stem"}));
  CHECK(to_text(g) ==
        "graph {\n"
        "  %0 = input \"a \\\"b\\\"\\\\u000a\"  float32 [1, 2, 4, 4]\n"
        "  %1 = constant  float32 [3, 2, 1, 1]\n"
        "  %2 = conv2d(%0, %1) {strides=[2, 2], label=\"stem\"}  float32 [1, 3, 2, 2]\n"
        "  output \"y\" = %2\n"
        "}\n");
  CHECK(to_graphviz(g).starts_with("digraph webnn {\n"));
}
