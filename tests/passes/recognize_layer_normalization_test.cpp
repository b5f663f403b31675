#include <cmath>
#include <limits>

#include "tests/passes/small_graphs.h"

using namespace webnn;
using namespace webnn::test;

TEST_CASE("recognize_layer_normalization") {
  Net n;
  const MLOperand x = n.b.input("x", {float32, {3, 5, 8}});
  const auto mean = [&](const MLOperand& v) {
    return n.b.reduceMean(v, {.axes = Dims{2}, .keepDimensions = true});
  };
  const auto number = [&](double v) { return n.b.constant(float32, v); };
  const auto written_out = [&](bool pow) {
    const MLOperand d = n.b.sub(x, mean(x));
    const MLOperand square = pow ? n.b.pow(d, number(2)) : n.b.mul(d, d);
    return n.b.div(d, n.b.sqrt(n.b.add(mean(square), number(1e-3))));
  };
  const auto only_one = [&](const MLOperand& y) {
    const Graph g = recognize_layer_normalization(graph_of({{"y", y}}));
    CHECK(names(g) == Names{"layerNormalization"});
    return g;
  };
  for (const bool pow : {false, true}) {
    const Graph g = only_one(written_out(pow));
    const auto* op = g.node(0).as<ops::layerNormalization>();
    REQUIRE(op);
    CHECK(op->options.epsilon == Approx(1e-3));
    CHECK(Dims(*op->options.axes) == Dims{2});
  }
  const MLOperand scale = n.weights({8}, 2), bias = n.weights({1, 1, 8}, 0.25f);
  const MLOperand y = n.b.add(bias, n.b.mul(written_out(true), scale));
  const Graph whole = only_one(y);
  CHECK(first(*whole.node(0).as<ops::layerNormalization>()->options.scale) == 2);
  CHECK(first(*whole.node(0).as<ops::layerNormalization>()->options.bias) == 0.25f);
  // A row that is read elsewhere, a scale of another shape, a mean over another dimension.
  const MLOperand quotient = written_out(false);
  const Graph read =
      recognize_layer_normalization(graph_of({{"q", quotient}, {"y", n.b.mul(quotient, scale)}}));
  CHECK(names(read) == Names{"layerNormalization", "mul"});
  const Graph all = recognize_layer_normalization(
      graph_of({{"y", n.b.mul(written_out(true), n.weights({5, 8}))}}));
  CHECK(names(all) == Names{"layerNormalization", "mul"});
  const MLOperand rows = n.b.reduceMean(x, {.axes = Dims{1}, .keepDimensions = true});
  const MLOperand d = n.b.sub(x, rows);
  const MLOperand other = n.b.div(d, n.b.sqrt(n.b.add(mean(n.b.mul(d, d)), number(1e-3))));
  CHECK(count(recognize_layer_normalization(graph_of({{"y", other}})), "layerNormalization") == 0);
}

TEST_CASE("recognize_layer_normalization keeps the values") {
  std::vector<float> values(4 * 8), results[2];
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i)) * (i < 16 ? 1.f : 1000.f);
  values[8 + 3] = std::numeric_limits<float>::infinity();  // the second row
  values[16 + 3] = NAN;                                    // the third
  for (const char* setting : {"none", ""}) {
    REQUIRE(setenv("WEBNN_PASSES", setting, 1) == 0);
    Net n;
    const MLOperand x = n.b.input("x", {float32, {4, 8}});
    const auto mean = [&](const MLOperand& v) {
      return n.b.reduceMean(v, {.axes = Dims{1}, .keepDimensions = true});
    };
    const MLOperand d = n.b.sub(x, mean(x));
    const MLOperand root = n.b.sqrt(n.b.add(mean(n.b.mul(d, d)), n.b.constant(float32, 1e-5)));
    const MLOperand y = n.b.add(n.b.mul(n.b.div(d, root), n.weights({8}, 1.5f)), n.weights({8}));
    const MLGraph g = n.b.build({{"y", y}});
    std::vector<float>& out = results[*setting == 0];
    out.resize(values.size());
    n.context.compute(g, {{"x", values}}, {{"y", out}});
    CHECK((g.explain().find("layerNormalization") != std::string::npos) == (*setting == 0));
  }
  REQUIRE(unsetenv("WEBNN_PASSES") == 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(results[0][i])) CHECK(std::isnan(results[1][i]));
    else CHECK(results[1][i] == Approx(results[0][i]).epsilon(1e-6).margin(1e-6));
  }
}
