// Graphs of sizes between others are those that the passes make.
#include "src/runtime/interpolation.h"

#include <atomic>
#include <thread>

#include "src/graph/graph_data.h"
#include "src/kernels/reference/evaluate.h"
#include "src/runtime/affine_sizes.h"
#include "src/runtime/compile.h"
#include "src/runtime/fill.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

constexpr std::uint32_t heads = 3, head = 16, hidden = heads * head;

std::vector<float> numbers(std::size_t n, float step) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i % 31) * step - 1;
  return v;
}

MLOperand weights(MLGraphBuilder& b, Dims shape, float step) {
  const std::size_t n = element_count(shape);
  return b.constant({float32, std::move(shape)}, numbers(n, step));
}

/// A decoder of two layers with caches of keys and values, which are its outputs, too.
NamedOperands decoder(MLGraphBuilder& b, std::uint32_t rows, const MLDimension& past,
                      const MLDimension& all) {
  MLOperand x = b.input("x", {float32, {rows, hidden}});
  const MLOperand mask = b.input("mask", {float32, {rows, all}});
  NamedOperands outputs{{"y", {}}};
  for (int layer = 0; layer < 2; ++layer) {
    const std::string name = std::to_string(layer);
    const auto by_head = [&](float step) {
      return b.transpose(
          b.reshape(b.matmul(x, weights(b, {hidden, hidden}, step)), {rows, heads, head}),
          {.permutation = {{1, 0, 2}}});
    };
    const auto cached = [&](const std::string& cache, float step) {
      const MLOperand old = b.input(cache, {float32, {heads, past, head}});
      const MLOperand now = b.concat({old, by_head(step)}, 1);
      outputs.push_back({"new " + cache, now});
      return now;
    };
    const MLOperand q = b.mul(by_head(0.01f), b.constant(float32, 0.25));
    const MLOperand k = cached("k" + name, 0.02f), v = cached("v" + name, 0.015f);
    const MLOperand scores = b.add(b.matmul(q, b.transpose(k, {.permutation = {{0, 2, 1}}})), mask);
    const MLOperand mixed =
        b.transpose(b.matmul(b.softmax(scores, 2), v), {.permutation = {{1, 0, 2}}});
    x = b.add(x, b.matmul(b.reshape(mixed, {rows, hidden}), weights(b, {hidden, hidden}, 0.012f)));
    x = b.mul(x, b.sigmoid(x));
  }
  outputs[0].operand = x;
  return outputs;
}

Graph open_decoder(std::uint32_t rows) {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  return b.build(decoder(b, rows, "past", "all")).graph();
}

/// What the passes make of an open graph.
Interpolation::Make make(const Graph& open) {
  return [open](const DimensionSizes& sizes) {
    auto graph = graph_at(open, sizes, &evaluate);
    if (!graph) throw std::runtime_error(graph.failure().message);
    return optimized_graph(*graph, chosen_passes());
  };
}

/// The sizes of the dimensions in the order of the graph.
DimensionSizes sizes_of(const Graph& open, std::uint32_t past, std::uint32_t rows) {
  DimensionSizes sizes;
  for (const MLDynamicDimension& d : data_of(open).dimensions)
    sizes.push_back(d.name == "past" ? past : past + rows);
  return sizes;
}
SizeSteps steps(const Graph& open, std::uint32_t past, std::uint32_t rows, std::int64_t count) {
  return {.first = sizes_of(open, past, rows), .step = {1, 1}, .count = count};
}

/// How many graphs an interpolation has, all of which are those that the passes make.
int same_graphs(const Graph& open, const Interpolation& between) {
  const SizeSteps& sizes = between.sizes();
  int found = 0;
  for (std::int64_t i = 0; i <= sizes.count; ++i) {
    const auto made = between.at(sizes.at(i), {});
    if (!made) continue;
    ++found;
    const OptimizedGraph full = make(open)(sizes.at(i));
    REQUIRE(Interpolation::are_same(made->source(), full.source));
    REQUIRE(Interpolation::are_same(made->graph, full.graph));
    REQUIRE(made->source() == full.source);
  }
  return found;
}

/// The bits of all outputs.
std::vector<std::vector<float>> run(MLContext context, const MLGraph& graph, std::uint32_t rows,
                                    std::uint32_t past) {
  std::vector<std::vector<float>> in, out;
  std::vector<Dims> shapes;
  std::vector<NamedInput> inputs;
  std::vector<NamedOutput> outputs;
  in.reserve(16), out.reserve(16), shapes.reserve(16);
  for (const auto& [name, d] : graph.inputs()) {
    Dims shape{heads, past, head};
    if (name == "x") shape = {rows, hidden};
    if (name == "mask") shape = {rows, past + rows};
    shapes.push_back(shape);
    in.push_back(numbers(element_count(shape), 0.03f));
    inputs.push_back({name, {in.back(), std::span<const std::uint32_t>(shapes.back())}});
  }
  for (const auto& [name, d] : graph.outputs()) {
    out.emplace_back(name == "y" ? rows * hidden : heads * (past + rows) * head);
    outputs.push_back({name, out.back()});
  }
  context.compute(graph, inputs, outputs);
  return out;
}

std::vector<std::vector<float>> expected(MLContext context, std::uint32_t rows,
                                         std::uint32_t past) {
  MLGraphBuilder b(context);
  return run(context, b.build(decoder(b, rows, past, past + rows)), rows, past);
}

}  // namespace

TEST_CASE("interpolation: the graphs between two sizes are those that the passes make") {
  for (const std::uint32_t rows : {1u, 5u}) {
    const Graph open = open_decoder(rows);
    REQUIRE(has_affine_sizes(open, {true, true}));
    const SizeSteps sizes = steps(open, 8, rows, 300);
    const auto between = Interpolation::between(sizes, make(open));
    REQUIRE(between);
    const int found = same_graphs(open, *between);
    CHECK(found > 270);
    CHECK(found < 300);  // a size is equal to another one, such as a cache of 48 rows
    DimensionSizes other = sizes.at(4);
    ++other[0];
    CHECK(!between->at(other, {}));
    CHECK(!between->at(sizes.at(301), {}));
    CHECK(!between->at(sizes.at(-1), {}));
  }
}

TEST_CASE("interpolation: graphs that differ in more than sizes are not the same") {
  const Graph open = open_decoder(1), other = open_decoder(2);
  const OptimizedGraph a = make(open)(sizes_of(open, 20, 1)), b = make(open)(sizes_of(open, 21, 1)),
                       c = make(other)(sizes_of(other, 20, 2));
  CHECK(Interpolation::are_same(a.graph, a.graph));
  CHECK(Interpolation::are_same(a.graph, make(open)(sizes_of(open, 20, 1)).graph));
  CHECK(!Interpolation::are_same(a.graph, b.graph));
  CHECK(!Interpolation::are_same(a.graph, c.graph));
  CHECK(!Interpolation::are_same(a.graph, a.source));
}

TEST_CASE("interpolation: what passes choose by sizes is not taken from other ones") {
  // The transposition of five rows costs more than that of a short cache, and less than that of a
  // long one.
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand old =
      b.transpose(b.input("old", {float32, {"past", 3, 16}}), {.permutation = {{1, 0, 2}}});
  const MLOperand now = b.input("now", {float32, {3, 5, 16}});
  const Graph open = b.build({{"y", b.relu(b.concat({old, now}, 1))}}).graph();
  const SizeSteps sizes{.first = {2}, .step = {1}, .count = 40};
  CHECK(!Interpolation::between(sizes, make(open)));
}

namespace {

/// Two layers whose scores have the rows twice, and lists that say sizes.
NamedOperands encoder(MLGraphBuilder& b, const MLDimension& rows) {
  const auto number = [&](std::uint32_t n) {
    return b.constant({uint32, {1}}, std::vector<std::uint32_t>{n});
  };
  MLOperand x = b.input("x", {float32, {rows, hidden}});
  for (int layer = 0; layer < 2; ++layer) {
    const auto count = [&] { return b.slice(b.shape(x), {0}, {1}); };
    const auto by_head = [&](float step) {
      const MLOperand y = b.reshapeDynamic(b.matmul(x, weights(b, {hidden, hidden}, step)),
                                           b.concat({count(), number(heads), number(head)}, 0));
      return b.transpose(y, {.permutation = {{1, 0, 2}}});
    };
    const MLOperand scores =
        b.matmul(by_head(0.01f), b.transpose(by_head(0.02f), {.permutation = {{0, 2, 1}}}));
    const MLOperand mixed =
        b.transpose(b.matmul(b.softmax(scores, 2), by_head(0.015f)), {.permutation = {{1, 0, 2}}});
    x = b.layerNormalization(
        b.add(x, b.reshapeDynamic(mixed, b.concat({count(), number(hidden)}, 0))),
        {.axes = Dims{1}});
    x = b.gelu(b.matmul(x, weights(b, {hidden, hidden}, 0.012f)));
  }
  return {{"y", x}};
}

}  // namespace

TEST_CASE("interpolation: two dimensions of a tensor grow together") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const Graph open = b.build(encoder(b, "rows")).graph();
  REQUIRE(has_affine_sizes(open, {true}));
  const SizeSteps sizes{.first = {20}, .step = {1}, .count = 100};
  const auto between = Interpolation::between(sizes, make(open));
  REQUIRE(between);
  const int found = same_graphs(open, *between);
  CHECK(found > 80);
}

TEST_CASE("interpolation: sizes that are not affine functions of others are not interpolated") {
  MLContext context({.threads = 1});
  const auto is_affine = [&](auto build) {
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {2, "rows", 6}});
    return has_affine_sizes(b.build({{"y", build(b, x)}}).graph(), {true});
  };
  using B = MLGraphBuilder;
  CHECK(is_affine([](B& b, const MLOperand& x) { return b.concat({x, x}, 1); }));
  CHECK(is_affine([](B& b, const MLOperand& x) { return b.softmax(b.add(x, x), 1); }));
  CHECK(is_affine([](B& b, const MLOperand& x) { return b.relu(x); }));
  CHECK(is_affine(
      [](B& b, const MLOperand& x) { return b.layerNormalization(x, {.axes = Dims{2}}); }));
  const auto reshaped = [](B& b, const MLOperand& x, auto rows) {
    const MLOperand six = b.constant({uint32, {1}}, std::vector<std::uint32_t>{6});
    return b.reshapeDynamic(x, b.concat({rows(b, b.slice(b.shape(x), {1}, {1})), six}, 0));
  };
  const auto number = [](B& b, std::uint32_t n) {
    return b.constant({uint32, {1}}, std::vector<std::uint32_t>{n});
  };
  CHECK(is_affine([&](B& b, const MLOperand& x) {
    return reshaped(b, x, [&](B& c, const MLOperand& rows) { return c.mul(rows, number(c, 2)); });
  }));
  CHECK(!is_affine([&](B& b, const MLOperand& x) {
    return reshaped(b, x, [&](B& c, const MLOperand& rows) {
      return c.div(c.mul(rows, number(c, 4)), number(c, 2));
    });
  }));
  CHECK(!is_affine([](B& b, const MLOperand& x) { return b.cast(b.shape(x), float32); }));
  CHECK(!is_affine([](B& b, const MLOperand& x) { return b.reshapeTo2d(x, {.axis = 2}); }));
  CHECK(!is_affine([](B& b, const MLOperand& x) {
    return b.averagePool2d(b.unsqueeze(x, {0}),
                           {.windowDimensions = {{1, 1}}, .strides = {{2, 2}}});
  }));
}

TEST_CASE("interpolation: a decoder has the bits of static graphs at all sizes of its cache") {
  for (const std::uint32_t rows : {1u, 4u}) {
    MLContext context({.threads = 2});
    MLGraphBuilder b(context);
    const MLGraph graph = b.build(decoder(b, rows, "past", "all"));
    for (std::uint32_t past = 40; past < 70; ++past)
      REQUIRE(run(context, graph, rows, past) == expected(context, rows, past));
    for (std::uint32_t past : {3u, 2u, 1u, 4u, 200u, 47u, 300u, 5u})
      REQUIRE(run(context, graph, rows, past) == expected(context, rows, past));
    const std::string text = graph
                                 .prepare({{"x", {rows, hidden}},
                                           {"mask", {rows, 60 + rows}},
                                           {"k0", {heads, 60, head}},
                                           {"v0", {heads, 60, head}},
                                           {"k1", {heads, 60, head}},
                                           {"v1", {heads, 60, head}}})
                                 .explain();
    CHECK(text.find("attention") != std::string::npos);
    CHECK(text.find(std::to_string(60 + rows)) != std::string::npos);
  }
}

namespace {

int runs_of_passes = 0;

Graph counted(const Graph& graph) {
  ++runs_of_passes;
  return graph;
}

/// Runs without the comparison of each graph with what the passes make.
struct Unchecked {
  Unchecked() { set_fills_memory(false); }
  Unchecked(const Unchecked&) = delete;
  ~Unchecked() { set_fills_memory(before); }
  bool before = fills_memory();
};

}  // namespace

TEST_CASE("interpolation: passes do not run for sizes between others") {
  const Unchecked unchecked;
  MLContext context({.threads = 1});
  std::vector<Pass> passes = chosen_passes();
  passes.push_back({"counted", &counted});
  const MLGraph graph = build_graph(context, open_decoder(1), passes);
  for (std::uint32_t past : {100u, 101u}) run(context, graph, 1, past);
  runs_of_passes = 0;
  for (std::uint32_t past = 102; past < 132; ++past) run(context, graph, 1, past);
  CHECK(runs_of_passes == 0);
  run(context, graph, 1, 143);  // 144 rows are three times 48
  CHECK(runs_of_passes == 1);
}

TEST_CASE("interpolation: kernels that do not depend on the sizes are those of other sizes") {
  const Unchecked unchecked;
  constexpr std::uint32_t rows = 1;
  MLContext context({.threads = 2});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build(decoder(b, rows, "past", "all"));
  const auto at = [&](std::uint32_t past) {
    std::vector<NamedShape> shapes{{"x", {rows, hidden}}, {"mask", {rows, past + rows}}};
    for (const char* name : {"k0", "v0", "k1", "v1"}) shapes.push_back({name, {heads, past, head}});
    return graph.prepare(shapes);
  };
  const MLGraph first = at(60), second = at(61), third = at(62);
  const auto steps_of = [](const MLGraph& g) -> const std::vector<Step>& {
    return detail::state_of(g)->plan.steps;
  };
  REQUIRE(steps_of(second).size() == steps_of(third).size());
  const Graph own_graph = detail::state_of(third)->optimized;
  int shared = 0;
  for (std::size_t i = 0; i < steps_of(third).size(); ++i) {
    const Choice &x = steps_of(second)[i].choice, &y = steps_of(third)[i].choice;
    const bool is_same = &*x.kernel == &*y.kernel;
    shared += is_same;
    const auto depends = [&](const MLOperand& o) {
      const Dims& shape = o.shape();
      return std::ranges::any_of(shape, [](std::uint32_t n) { return n == 62 || n == 62 + rows; });
    };
    const std::vector<MLOperand> inputs = inputs_of(y.chain);
    const MLOperand result = y.chain.back().output();
    CHECK(&result.record() == &data_of(own_graph).operands[result.record().id]);  // not another's
    const bool changes = std::ranges::any_of(inputs, depends) || depends(y.chain.back().output());
    CAPTURE(i, y.kernel->name);
    CHECK(!(is_same && changes));
  }
  CHECK(shared >= 10);
  for (const std::uint32_t past : {61u, 62u}) {
    MLGraphBuilder own(context);
    const MLGraph fixed = own.build(decoder(own, rows, past, past + rows));
    const MLGraph& made = past == 61 ? second : third;
    const auto report = made.report(), right = fixed.report();
    REQUIRE(report.steps.size() == right.steps.size());
    for (std::size_t i = 0; i < right.steps.size(); ++i) {
      CHECK(report.steps[i].kernel == right.steps[i].kernel);
      CHECK(report.steps[i].tiles == right.steps[i].tiles);
      CHECK(report.steps[i].others == right.steps[i].others);
      for (std::size_t k = 0; k < right.steps[i].operators.size(); ++k)
        CHECK(report.steps[i].operators[k].output().shape() ==
              right.steps[i].operators[k].output().shape());
    }
    CHECK(made.graph() == fixed.graph());
    CHECK(made.memory().packed == fixed.memory().packed);
  }
}

TEST_CASE("interpolation: sizes that threads need at the same time") {
  MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build(decoder(b, 1, "past", "all"));
  std::vector<std::vector<std::vector<float>>> right;
  for (std::uint32_t past = 30; past < 60; ++past) right.push_back(expected(context, 1, past));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < 30; ++i) {
        const std::uint32_t k = t % 2 ? i : 29 - i;
        if (run(context, graph, 1, 30 + k) != right[k]) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}
