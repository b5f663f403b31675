// dispatch: https://www.w3.org/TR/webnn/#api-mlcontext-dispatch
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using test::thrown;

namespace {

const MLContextOptions alone{.threads = 1, .backends = {"reference"}};

MLGraph sum_graph(MLContext& context) {  // z = x + y, d = x - y
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {2}}), y = b.input("y", {float32, {2}});
  return b.build({{"z", b.add(x, y)}, {"d", b.sub(x, y)}});
}

MLTensor tensor(MLContext& context, Dims shape = {2}, MLOperandDataType type = float32) {
  return context.createTensor(
      {.dataType = type, .shape = std::move(shape), .readable = true, .writable = true});
}

}  // namespace

TEST_CASE("what dispatch refuses, in the order of the spec") {
  MLContext context(alone), other(alone);
  MLGraph graph = sum_graph(context);
  const MLTensor x = tensor(context), y = tensor(context), z = tensor(context), d = tensor(context);
  const MLTensor foreign = tensor(other);
  MLTensor gone = tensor(context);
  gone.destroy();
  const MLTensor constant = context.createConstantTensor({float32, {2}}, std::array{1.f, 2.f});
  const auto refused = [&](std::vector<NamedTensor> in, std::vector<NamedTensor> out) {
    return thrown([&] { context.dispatch(graph, in, out); });
  };
  const std::string p = "TypeError dispatch: ";
  CHECK(thrown([&] {
          other.dispatch(graph, {{"x", x}, {"x", x}}, {});
        }) == p + "the graph belongs to another context.");
  CHECK(refused({{"x", x}, {"y", x}}, {{"z", foreign}}) ==
        p + "one tensor is used for \"x\" and for \"y\".");
  CHECK(refused({{"x", x}, {"y", y}}, {{"z", x}, {"d", d}}) ==
        p + "one tensor is used for \"x\" and for \"z\".");
  CHECK(refused({{"x", x}, {"y", y}}, {{"z", z}, {"d", z}}) ==
        p + "one tensor is used for \"z\" and for \"d\".");
  CHECK(refused({{"x", foreign}}, {{"z", gone}}) ==
        p + "the tensor of input \"x\" belongs to another context.");
  CHECK(refused({{"x", x}}, {{"z", gone}}) == p + "the tensor of output \"z\" is destroyed.");
  CHECK(refused({{"x", MLTensor()}}, {}) == p + "the tensor of input \"x\" is empty.");
  const std::string has = "\"x\" float32 [2], \"y\" float32 [2].";
  CHECK(refused({{"x", x}}, {{"z", z}, {"d", d}}) ==
        p + "the number (1) of inputs is not 2: the graph has " + has);
  CHECK(refused({{"x", x}, {"y", y}}, {{"z", z}}) ==
        p + "the number (1) of outputs is not 2: the graph has \"z\" float32 [2], \"d\" "
            "float32 [2].");
  CHECK(refused({{"x", x}, {"w", y}}, {{"z", z}, {"d", d}}) ==
        p + "no input named \"w\"; the graph has " + has);
  CHECK(refused({{"x", x}, {"x", y}}, {{"z", z}, {"d", d}}) == p + "input \"x\" is given twice.");
  CHECK(refused({{"x", x}, {"y", y}}, {{"z", z}, {"z", d}}) == p + "output \"z\" is given twice.");
  CHECK(refused({{"x", x}, {"y", constant}}, {{"z", z}, {"d", d}}) ==
        p + "the tensor of input \"y\" is a constant.");
  CHECK(refused({{"x", x}, {"y", y}}, {{"z", z}, {"d", constant}}) ==
        p + "the tensor of output \"d\" is a constant.");
  CHECK(refused({{"x", x}, {"y", tensor(context, {2, 1})}}, {{"z", z}, {"d", d}}) ==
        p + "the tensor of input \"y\" is float32 [2, 1], not float32 [2].");
  CHECK(refused({{"x", x}, {"y", y}}, {{"z", tensor(context, {2}, int32)}, {"d", d}}) ==
        p + "the tensor of output \"z\" is int32 [2], not float32 [2].");
  graph.destroy();
  graph.destroy();
  CHECK(refused({{"x", x}, {"x", x}}, {}) == "InvalidStateError dispatch: the graph is destroyed.");
}

TEST_CASE("work happens in the order of the calls") {
  MLContext context(alone);
  const MLGraph graph = sum_graph(context);
  const MLTensor x = tensor(context), y = tensor(context), z = tensor(context), d = tensor(context);
  context.writeTensor(y, std::array{1.f, 10.f});
  for (int i = 0; i < 300; ++i) {
    const float f = static_cast<float>(i);
    context.writeTensor(x, std::array{f, f});
    context.dispatch(graph, {{"y", y}, {"x", x}}, {{"d", d}, {"z", z}});
    context.writeTensor(x, std::array{-1.f, -1.f});  // after the dispatch
    if (i % 3 == 0) {
      std::array<float, 2> sum{}, difference{};
      context.readTensor(z, sum);
      context.readTensor(d, difference);
      REQUIRE(sum == std::array{f + 1, f + 10});
      REQUIRE(difference == std::array{f - 1, f - 10});
    }
  }
}

TEST_CASE("a decoder with its cache in two tensors") {
  MLContext context(alone);
  MLGraphBuilder b(context);
  const MLOperand token = b.input("token", {int32, {1, 1}}), past = b.input("past", {float32, {8}});
  const MLOperand t = b.reshape(b.cast(token, float32), {1});
  const MLOperand present = b.concat({b.slice(past, {1}, {7}), t}, 0);
  const MLGraph graph =
      b.build({{"logits", b.mul(present, b.constant(float32, 2))}, {"present", present}});
  const MLTensor id = context.createTensor({.dataType = int32, .shape = {1, 1}, .writable = true});
  const MLTensor cache[2] = {context.createTensor({float32, {8}}),
                             context.createTensor({float32, {8}})};
  const MLTensor logits = context.createTensor({.shape = {8}, .readable = true});
  std::array<float, 8> row{};
  std::int32_t next = 3;
  std::vector<float> told(8, 0);
  for (int step = 0; step < 200; ++step) {
    context.writeTensor(id, std::span(&next, 1));
    context.dispatch(graph, {{"token", id}, {"past", cache[step % 2]}},
                     {{"logits", logits}, {"present", cache[(step + 1) % 2]}});
    context.readTensor(logits, row);
    told.push_back(static_cast<float>(next));
    for (std::size_t i = 0; i < 8; ++i) REQUIRE(row[i] == 2 * told[told.size() - 8 + i]);
    next = static_cast<std::int32_t>(row[7] + row[3]) % 97;
  }
}

TEST_CASE("a read waits for what was before it, and only that") {
  test::Gate gate;
  MLContext context({.threads = 1, .backends = {test::gated_backend(gate), "reference"}});
  MLGraphBuilder slow(context), quick(context);
  const MLGraph gated = slow.build({{"y", slow.relu(slow.input("x", {float32, {2}}))}});
  const MLGraph neg = quick.build({{"y", quick.neg(quick.input("x", {float32, {2}}))}});
  const MLTensor x = tensor(context), y = tensor(context), z = tensor(context);
  context.writeTensor(x, std::array{1.f, -1.f});
  std::array<float, 2> v{};
  context.dispatch(neg, {{"x", x}}, {{"y", y}});
  // The read comes before the gated graph, whose gate is still closed.
  std::thread later;
  {
    context.readTensor(y, v);
    CHECK(v == std::array{-1.f, 1.f});
    context.dispatch(gated, {{"x", x}}, {{"y", z}});
    gate.await_visitor();
    later = std::thread([&] { gate.open(); });
  }
  context.readTensor(z, v);
  CHECK(v == std::array{1.f, 0.f});
  later.join();
}

TEST_CASE("what is destroyed after it was queued still runs") {
  test::Gate gate;
  MLContext context({.threads = 1, .backends = {test::gated_backend(gate), "reference"}});
  std::optional<MLGraph> graph;
  {
    MLGraphBuilder b(context);
    graph = b.build({{"y", b.relu(b.input("x", {float32, {2}}))}});
  }
  MLTensor x = tensor(context), w = tensor(context);
  const MLTensor y = tensor(context), z = tensor(context);
  context.writeTensor(x, std::array{5.f, -1.f});
  context.dispatch(*graph, {{"x", x}}, {{"y", y}});
  gate.await_visitor();
  context.dispatch(*graph, {{"x", y}}, {{"y", w}});  // queued behind it
  context.dispatch(*graph, {{"x", w}}, {{"y", z}});
  graph->destroy();
  graph.reset();
  x.destroy();
  x = {};
  w.destroy();
  w = {};
  gate.open();
  std::array<float, 2> v{};
  context.readTensor(z, v);
  CHECK(v == std::array{5.f, 0.f});
}

TEST_CASE("a context that goes waits for its queue") {
  test::Gate gate;
  std::atomic<int> runs = 0;
  const auto own = test::own_backend([&](Chain chain) -> Lowering {
    Candidate k = test::float_kernel(chain, [](float v) { return v; });
    k.run = [&](Range, const Buffers&, std::byte*) { ++runs; };
    k.tiles = 1;
    return k;
  });
  {
    MLContext context({.threads = 2, .backends = {own}});
    MLGraphBuilder b(context);
    const MLGraph graph = b.build({{"y", b.relu(b.input("x", {float32, {2}}))}});
    const MLTensor x = tensor(context), y = tensor(context);
    for (int i = 0; i < 50; ++i) context.dispatch(graph, {{"x", x}}, {{"y", y}});
  }
  CHECK(runs == 50);
}

TEST_CASE("a failure follows the data") {
  std::atomic<bool> fail = true;
  const auto own = test::own_backend([&](Chain chain) -> Lowering {
    if (!chain[0].as<ops::relu>()) return Refusal{"only relu"};
    return Candidate{.name = "moody", .run = [&](Range, const Buffers& b, std::byte*) {
                       if (fail) throw std::runtime_error("not today");
                       b.out<float>()[0] = b.in<float>()[0];
                     }};
  });
  MLContext context({.threads = 1, .backends = {own, "reference"}});
  MLGraphBuilder b(context), c(context);
  const MLGraph moody = b.build({{"y", b.relu(b.input("x", {float32, {}}), {.label = "r"})}});
  const MLGraph neg = c.build({{"y", c.neg(c.input("x", {float32, {}}))}});
  const MLTensor x = tensor(context, {}), y = tensor(context, {}), z = tensor(context, {});
  context.writeTensor(x, std::array{7.f});
  context.dispatch(moody, {{"x", x}}, {{"y", y}});
  context.dispatch(neg, {{"x", y}}, {{"y", z}});
  const std::string message = "OperationError relu [r]: own moody failed: not today.";
  std::array<float, 1> v{};
  CHECK(thrown([&] { context.readTensor(z, v); }) == message);
  CHECK(thrown([&] { context.readTensor(y, v); }) == message);
  CHECK(thrown([&] { context.readTensor(y, v); }) == message);  // until it is written again
  context.readTensor(x, v);
  CHECK(v[0] == 7);
  context.writeTensor(y, std::array{1.f});
  context.readTensor(y, v);
  CHECK(v[0] == 1);
  fail = false;
  context.dispatch(moody, {{"x", x}}, {{"y", y}});
  context.dispatch(neg, {{"x", y}}, {{"y", z}});
  context.readTensor(z, v);
  CHECK(v[0] == -7);
}
