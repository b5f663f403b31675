// Fused operators: who runs them, and what programs see of a graph that has some.
#include <algorithm>
#include <cmath>

#include "src/graph/fused/expand.h"
#include "src/kernels/backends.h"
#include "src/runtime/graph_state.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/rotary_forms.h"
#include "webnn/passes.h"

using namespace webnn;
using test::own_backend;
using Names = std::vector<std::string>;

namespace {

bool has_simd() { return std::ranges::count(backend_names(), "simd") > 0; }

Names names_of(std::span<const Node> nodes) {
  Names all;
  for (const Node& node : nodes) all.emplace_back(node.name());
  return all;
}
Names names(const Graph& graph) {
  Names all;
  for (std::size_t i = 0; i < graph.size(); ++i) all.emplace_back(graph.node(i).name());
  return all;
}
/// "simd swish", for each step.
Names steps(const MLGraph& graph) {
  Names all;
  for (const Step& step : detail::state_of(graph)->plan.steps) {
    std::string s = step.choice.backend;
    for (const Node& node : step.choice.chain) s += " " + std::string(node.name());
    all.push_back(std::move(s));
  }
  return all;
}

MLGraph swish_graph(const MLContext& context) {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 3}});
  return b.build({{"y", b.mul(b.sigmoid(x), x)}});
}

/// Returns a backend that supports only single operators with that name.
std::shared_ptr<test::OwnBackend> taking(std::string name) {
  return own_backend([name = std::move(name)](Chain chain) -> Lowering {
    if (chain.size() > 1 || chain[0].name() != name) return Refusal{"only " + name};
    return test::float_kernel(chain, [](float v) { return v; });
  });
}

}  // namespace

TEST_CASE("swish: a kernel runs it by itself, and in a chain behind others") {
  if (!has_simd()) return;
  MLContext context({.threads = 1});
  CHECK(steps(swish_graph(context)) == Names{"simd swish"});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2, 3}}), z = b.neg(x);
  const MLOperand product = b.matmul(x, b.constant({float32, {3, 3}}, std::vector<float>(9, 0.5f)));
  const MLGraph graph =
      b.build({{"y", b.tanh(b.mul(z, b.sigmoid(z)))}, {"p", b.mul(product, b.sigmoid(product))}});
  CHECK(steps(graph) == Names{"simd neg swish tanh", "simd gemm swish"});
}

TEST_CASE("swish: programs see its composition, explain() its name") {
  if (!has_simd()) return;
  MLContext context({.threads = 1});
  const MLGraph graph = swish_graph(context);
  CHECK(graph.explain().find("swish") != std::string::npos);
  const Names composition{"sigmoid", "mul"};
  CHECK(names(graph.optimized()) == composition);
  CHECK(names(graph.graph()) == composition);
  CHECK(names_of(graph.report().steps.at(0).operators) == composition);
  CHECK(to_text(graph.optimized()).find("swish") == std::string::npos);
  // A graph with fused operators that is compiled again.
  const Graph& fused = detail::state_of(graph)->optimized;
  REQUIRE(has_fused(fused));
  const MLGraph again = build_graph(context, fused, {});
  CHECK(names(again.graph()) == composition);
  CHECK(steps(again) == Names{"simd swish"});
}

TEST_CASE("swish has the bits of its operators") {
  std::vector<float> w(64 * 40), in(5 * 64);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 23) / 16 - 0.7f;
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 31) / 2 - 8;
  const auto run = [&](bool fused, bool product) {
    MLContext context({.threads = 1});
    MLGraphBuilder b(context);
    MLOperand y = b.input("x", {float32, {5, 64}});
    if (product) y = b.gemm(y, b.constant({float32, {64, 40}}, w));
    const MLOperand s = b.sigmoid(y);
    NamedOperands outputs{{"y", b.mul(s, y)}};
    if (!fused) outputs.emplace_back("s", s);
    const MLGraph graph = b.build(outputs);
    CHECK(has_fused(detail::state_of(graph)->optimized) == (fused && has_simd()));
    std::vector<float> swish(element_count(y.shape())), sigmoid(swish.size());
    std::vector<NamedOutput> out{{"y", swish}};
    if (!fused) out.push_back({"s", sigmoid});
    const std::vector<NamedInput> inputs{{"x", in}};
    context.compute(graph, std::span<const NamedInput>(inputs), std::span<const NamedOutput>(out));
    return swish;
  };
  for (const bool product : {false, true}) CHECK(run(true, product) == run(false, product));
}

TEST_CASE("swish: where no backend has it, its operators run") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  const MLGraph graph = swish_graph(context);
  CHECK(steps(graph) == Names{"reference sigmoid", "reference mul"});
  const std::array<float, 6> x{0, 1, -1, 2, -3, 100};
  std::array<float, 6> y{};
  context.compute(graph, {{"x", x}}, {{"y", y}});
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK(y[i] == Approx(x[i] / (1 + std::exp(-double{x[i]}))));
}

TEST_CASE("a custom backend is offered the operators of a composition, never a fused one") {
  const auto own = own_backend(test::refuse);
  MLContext context({.threads = 1, .backends = {own, "reference"}});
  swish_graph(context);
  CHECK(own->offers == Names{"sigmoid mul", "sigmoid", "mul"});
  if (!has_simd()) return;
  SECTION("one that is asked earlier and runs all of them gets them") {
    const auto both = own_backend([](Chain chain) -> Lowering {
      if (chain.size() != 2) return Refusal{"only two"};
      return test::float_kernel(chain, [](float v) { return v; });
    });
    MLContext second({.threads = 1, .backends = {both, "simd"}});
    CHECK(steps(swish_graph(second)) == Names{"own sigmoid mul"});
  }
  SECTION("one that runs one of them does not: the longest chain is chosen") {
    for (const char* name : {"sigmoid", "mul"}) {
      MLContext first({.threads = 1, .backends = {taking(name), "simd"}});
      CHECK(steps(swish_graph(first)) == Names{"simd swish"});
    }
  }
  SECTION("one that takes nothing does not") {
    const auto idle = own_backend(test::refuse);
    MLContext first({.threads = 1, .backends = {idle, "simd"}});
    CHECK(steps(swish_graph(first)) == Names{"simd swish"});
    CHECK(std::ranges::none_of(idle->offers, [](const std::string& offer) {
      return offer.find("swish") != std::string::npos;
    }));
  }
  SECTION("nor does one that is asked later") {
    MLContext last({.threads = 1, .backends = {"simd", taking("sigmoid")}});
    CHECK(steps(swish_graph(last)) == Names{"simd swish"});
  }
}

TEST_CASE("attention and rotary embeddings: custom backends are offered their operators") {
  const auto attention = [](const MLContext& context) {
    MLGraphBuilder b(context);
    const auto in = [&](const char* name, Dims shape) { return b.input(name, {float32, shape}); };
    const MLOperand s = b.matmul(in("q", {2, 9, 8}), in("k", {2, 8, 20}));
    const MLOperand p = b.softmax(b.add(b.mul(s, b.constant(float32, 0.5)), in("mask", {20})), 2);
    return b.build({{"y", b.matmul(p, in("v", {2, 20, 5}))}});
  };
  const auto rotary = [](const MLContext& context) {
    MLGraphBuilder b(context);
    const auto in = [&](const char* name, Dims shape) { return b.input(name, {float32, shape}); };
    return b.build(
        {{"y", test::rotary_written(b, in("x", {3, 8}), in("cos", {8}), in("sin", {8}), {})}});
  };
  const std::string chain = "matmul mul add softmax matmul";
  const Names parts{"slice", "neg", "slice", "concat", "mul", "mul", "add"};
  const auto own = own_backend(test::refuse);
  MLContext context({.threads = 1, .backends = {own, "reference"}});
  CHECK(names(attention(context).optimized()) ==
        Names{"matmul", "mul", "add", "softmax", "matmul"});
  CHECK(std::ranges::count(own->offers, chain) == 1);
  Names sorted = names(rotary(context).optimized()), expected = parts;
  std::ranges::sort(sorted);
  std::ranges::sort(expected);
  CHECK(sorted == expected);
  for (const std::string& offer : own->offers) {
    CHECK(offer.find("attention") == std::string::npos);
    CHECK(offer.find("rotaryEmbedding") == std::string::npos);
  }
  if (!has_simd()) return;
  MLContext simd({.threads = 1});
  CHECK(steps(attention(simd)) == Names{"simd attention"});
  CHECK(steps(rotary(simd)) == Names{"simd rotaryEmbedding"});
  CHECK(rotary(simd).report().steps.at(0).operators.size() == parts.size());
  // One that is asked earlier and runs all of it gets it.
  const auto whole = own_backend([](Chain nodes) -> Lowering {
    if (nodes.size() != 5) return Refusal{"only five"};
    return test::float_kernel(nodes, [](float v) { return v; });
  });
  MLContext first({.threads = 1, .backends = {whole, "simd"}});
  CHECK(steps(attention(first)) == Names{"own " + chain});
  MLContext last({.threads = 1, .backends = {"simd", whole}});
  CHECK(steps(attention(last)) == Names{"simd attention"});
}

TEST_CASE("attention that no kernel wants: its operators run as without the pass") {
  std::vector<float> results[2];
  for (const char* setting : {"-recognize_attention", ""}) {
    REQUIRE(setenv("WEBNN_PASSES", setting, 1) == 0);
    MLContext context({.threads = 1, .backends = {"reference"}});
    MLGraphBuilder b(context);
    const auto in = [&](const char* name, Dims shape) { return b.input(name, {float32, shape}); };
    const MLOperand k = b.transpose(in("k", {2, 20, 8}), {.permutation = {0, 2, 1}});
    const MLOperand s = b.mul(b.matmul(in("q", {2, 6, 8}), k), b.constant(float32, 0.5));
    const MLGraph graph = b.build({{"y", b.matmul(b.softmax(s, 2), in("v", {2, 20, 5}))}});
    CHECK(!has_fused(detail::state_of(graph)->optimized));
    std::vector<float> q(96), keys(320), v(200), y(60);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<float>(i % 17) / 16 - 0.5f;
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = static_cast<float>(i % 5) / 4 - 0.5f;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i % 13) / 8;
    context.compute(graph, {{"q", q}, {"k", keys}, {"v", v}}, {{"y", y}});
    results[*setting == 0] = y;
  }
  REQUIRE(unsetenv("WEBNN_PASSES") == 0);
  CHECK(results[0] == results[1]);
}

TEST_CASE("quantized operators have no fused ones among them, and keep their kernels") {
  if (!has_simd()) return;
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand scale = b.constant({float32, {1, 1}}, std::vector<float>{0.05f});
  const MLOperand zero = b.constant({int8, {1, 1}}, std::vector<std::int8_t>{3});
  const MLOperand weights = b.constant({int8, {8, 8}}, std::vector<std::int8_t>(64, 2));
  const MLOperand x = b.dequantizeLinear(b.input("x", {int8, {4, 8}}), scale, zero);
  const MLOperand y = b.gemm(x, b.dequantizeLinear(weights, scale, zero));
  const MLOperand first = b.quantizeLinear(b.mul(x, b.sigmoid(x)), scale, zero);
  const MLOperand second = b.quantizeLinear(b.mul(y, b.sigmoid(y)), scale, zero);
  const MLGraph graph = b.build({{"first", first}, {"second", second}});
  CHECK(graph.explain().find("on floats") == std::string::npos);
  const Names all = steps(graph);
  for (const std::string& step : all)
    if (step.find("swish") != std::string::npos && step.find("gemm") == std::string::npos)
      CHECK(step.find("dequantizeLinear") == std::string::npos);
}
