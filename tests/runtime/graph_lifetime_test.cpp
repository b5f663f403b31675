// What MLGraph::graph(), optimized() and report() return while and after the graph is destroyed.
#include <atomic>
#include <thread>

#include "tests/support/catch.h"
#include "webnn/passes.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

/// Two products with weights that the caller owns, and what build() folds, fuses and renames.
MLGraph network(MLContext& context, const std::shared_ptr<std::vector<float>>& weights) {
  MLGraphBuilder b(context);
  const MLOperand w =
      b.constant({float32, {4, 4}}, Constant(weights, std::as_bytes(std::span(*weights))));
  const MLOperand x = b.input("x", {float32, {3, 4}});
  const MLOperand y =
      b.relu(b.add(b.matmul(x, w), b.constant({float32, {4}}, {1.f, 2.f, 3.f, 4.f})),
             {.label = "the relu"});
  return b.build({{"y", b.softmax(b.matmul(y, w), 1)}, {"z", b.identity(y)}});
}

std::shared_ptr<std::vector<float>> new_weights() {
  return std::make_shared<std::vector<float>>(16, 0.25f);
}

/// Reads everything that a graph has.
std::size_t walked(const Graph& g) {
  std::size_t n = to_text(g).size();
  for (std::size_t i = 0; i < g.size(); ++i) {
    const Node node = g.node(i);
    n += node.name().size() + node.label().size() + node.attributes().size();
    for (const auto& [name, x] : node.named_inputs()) n += name.size() + x.rank();
    for (const MLOperand& y : node.outputs()) n += y.rank();
  }
  for (std::size_t i = 0; i < g.operand_count(); ++i) {
    const MLOperand x = g.operand(i);
    if (const Constant* c = x.constant(); c && !c->released()) n += c->bytes().size();
  }
  return n;
}

std::size_t walked(const GraphReport& r) {
  std::size_t n = 0;
  for (const StepReport& step : r.steps)
    for (const Node& node : step.operators) {
      n += node.name().size() + node.label().size();
      for (const MLOperand& x : node.inputs()) n += x.rank();
    }
  return n;
}

}  // namespace

TEST_CASE("graphs, nodes and operands outlive destroy()", "[lifetime]") {
  MLContext context({.threads = 1});
  const auto weights = new_weights();
  MLGraph g = network(context, weights);
  const Graph graph = g.graph();
  const std::size_t expected = walked(graph), optimized = walked(g.optimized());
  const Node node = g.graph().node(0);
  const Node last = g.optimized().node(g.optimized().size() - 1);
  const MLOperand constant = [&] {
    for (const MLOperand& x : node.inputs())
      if (x.constant()) return x;
    return MLOperand();
  }();
  const MLOperand result = g.optimized().node(0).output();
  const NamedOperands inputs = g.graph().inputs(), outputs = g.optimized().outputs();
  const Graph kept = g.optimized();
  const GraphReport report = g.report();
  const std::size_t reported = walked(report);
  g.destroy();
  g = {};
  CHECK(walked(graph) == expected);
  CHECK(walked(kept) == optimized);
  CHECK(walked(report) == reported);
  CHECK(node.name() == "matmul");
  CHECK(last.outputs().size() == 1);
  REQUIRE(constant);
  CHECK(constant.constant()->bytes().data() == reinterpret_cast<const std::byte*>(weights->data()));
  CHECK(result.rank() == 2);
  CHECK(inputs.at(0).operand.shape() == Dims{3, 4});
  CHECK(outputs.at(0).operand.shape() == Dims{3, 4});
}

TEST_CASE("a graph is freed with the last of what names it", "[lifetime]") {
  MLContext context({.threads = 1});
  auto weights = new_weights();
  const std::weak_ptr<std::vector<float>> alive = weights;
  std::optional<MLGraph> g = network(context, weights);
  weights.reset();
  REQUIRE_FALSE(alive.expired());
  std::vector<Node> nodes;
  std::vector<MLOperand> operands;
  SECTION("a graph that is released") { g.reset(); }
  SECTION("a graph that is destroyed") { g->destroy(); }
  SECTION("a node") {
    nodes.push_back(g->graph().node(0));
    g.reset();
    CHECK_FALSE(alive.expired());
    nodes.clear();
  }
  SECTION("an operand") {
    operands = g->graph().node(0).inputs();
    g->destroy();
    CHECK_FALSE(alive.expired());
    operands.clear();
  }
  SECTION("steps") {
    GraphReport report = g->report();
    g.reset();
    report = {};
  }
  SECTION("a copy with other outputs") {
    Graph copy = with_outputs(g->graph(), {{"first", g->graph().node(0).output()}});
    g.reset();
    CHECK_FALSE(alive.expired());
    copy = with_outputs(copy, {{"again", copy.node(0).output()}});
  }
  CHECK(alive.expired());
}

TEST_CASE("one thread reads a graph while another one destroys it", "[lifetime]") {
  MLContext context({.threads = 1});
  const auto weights = new_weights();
  std::size_t read = 0, refused = 0;
  for (int i = 0; i < 200; ++i) {
    MLGraph g = network(context, weights);
    const std::size_t expected = walked(g.graph());
    std::atomic<bool> go{false};
    std::thread other([&, g]() mutable {
      go.wait(false);
      for (int n = 0; n < i % 20; ++n) std::this_thread::yield();
      g.destroy();
    });
    go = true;
    go.notify_one();
    try {
      for (;;) {
        if (walked(g.graph()) != expected) FAIL("the graph is not what it was");
        read += walked(g.optimized()) > 0 && walked(g.report()) > 0 && !g.explain().empty();
        read += g.graph().node(0).output().rank() == 2 && g.memory().runs > 0;
      }
    } catch (const InvalidStateError& e) { refused += e.reason() == "the graph is destroyed"; }
    other.join();
  }
  CHECK(read > 0);
  CHECK(refused == 200);
}
