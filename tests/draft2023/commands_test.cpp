// Commands that are recorded once and submitted any number of times.
#include "tests/draft2023/compare.h"
#include "webnn/state.h"

using namespace webnn;
using test::thrown;
using Draft = draft2023::MLGraphBuilder;

namespace {

struct Work {
  MLContext context = MLContext({.threads = 1, .backends = {"reference"}});
  MLGraph graph = [this] {  // y = x + 1
    Draft b(context);
    return b.build({{"y", b.add(b.input("x", {.dimensions = {2}}), b.constant(1))}});
  }();
  MLTensor a = tensor(), b = tensor();

  MLTensor tensor() {
    return context.createTensor(
        {.dataType = float32, .shape = {2}, .readable = true, .writable = true});
  }
  std::array<float, 2> read(const MLTensor& t) {
    std::array<float, 2> values{};
    context.readTensor(t, values);
    return values;
  }
};

}  // namespace

TEST_CASE("draft 2023: a command buffer is submitted several times") {
  Work w;
  auto encoder = draft2023::createCommandEncoder(w.context);
  encoder.initializeGraph(w.graph);
  encoder.dispatch(w.graph, {{"x", w.a}}, {{"y", w.b}});
  encoder.dispatch(w.graph, {{"x", w.b}}, {{"y", w.a}});  // in this order
  const auto commands = encoder.finish();
  w.context.writeTensor(w.a, std::array{1.f, 10.f});
  CHECK(w.read(w.b) == std::array{0.f, 0.f});  // recording runs nothing
  commands.submit();
  CHECK(w.read(w.a) == std::array{3.f, 12.f});
  commands.submit();
  commands.submit();
  CHECK(w.read(w.a) == std::array{7.f, 16.f});
  w.context.writeTensor(w.a, std::array{0.f, 0.f});  // between two submissions
  commands.submit();
  CHECK(w.read(w.a) == std::array{2.f, 2.f});
  draft2023::createCommandEncoder(w.context).finish().submit();  // nothing
}

TEST_CASE("draft 2023: what an encoder refuses to record") {
  Work w;
  MLContext other({.threads = 1, .backends = {"reference"}});
  auto encoder = draft2023::createCommandEncoder(w.context);
  CHECK(thrown([&] {
          encoder.dispatch(w.graph, {{"x", w.a}}, {{"y", w.b}});
        }) == "OperationError dispatch: the graph was not initialized.");
  encoder.initializeGraph(w.graph);
  CHECK(thrown([&] {
          encoder.dispatch(w.graph, {{"z", w.a}}, {{"y", w.b}});
        }) == "DataError dispatch: no input named \"z\"; the graph has \"x\" float32 [2].");
  CHECK(thrown([&] {
          encoder.dispatch(w.graph, {{"x", w.a}}, {});
        }) ==
        "DataError dispatch: the number (0) of outputs is not 1: the graph has \"y\" float32 [2].");
  const MLTensor larger = w.context.createTensor({.dataType = float32, .shape = {3}});
  CHECK(thrown([&] {
          encoder.dispatch(w.graph, {{"x", w.a}}, {{"y", larger}});
        }) == "DataError dispatch: the tensor of output \"y\" is float32 [3], not float32 [2].");
  MLGraphBuilder b(w.context);
  const MLDynamicDimension rows{.name = "rows", .minSize = 0, .maxSize = 4};
  const MLOperand past = b.input("past", {float32, {rows}});
  const MLOperand present = b.concat({past, b.input("new", {float32, {1}})}, 0);
  update(b, past, present);
  const MLTensor state = createState(b.build({{"present", present}}), "past", {2});
  CHECK(thrown([&] {
          encoder.dispatch(w.graph, {{"x", state}}, {{"y", w.b}});
        }) ==
        "DataError dispatch: a tensor is a state that grows, which only MLContext::dispatch() "
        "takes.");
  CHECK(thrown([&] { draft2023::createCommandEncoder(other).initializeGraph(w.graph); }) ==
        "DataError initializeGraph: the graph belongs to another context.");
  encoder.finish();
  const std::string finished = ": the encoder is finished.";
  CHECK(thrown([&] { encoder.finish(); }) == "OperationError finish" + finished);
  CHECK(thrown([&] { encoder.initializeGraph(w.graph); }) ==
        "OperationError initializeGraph" + finished);
  CHECK(thrown([&] { encoder.dispatch(w.graph, {}, {}); }) == "OperationError dispatch" + finished);
}

TEST_CASE("draft 2023: a submission queues all or nothing") {
  Work w;
  auto encoder = draft2023::createCommandEncoder(w.context);
  encoder.initializeGraph(w.graph);
  MLTensor last = w.tensor();
  encoder.dispatch(w.graph, {{"x", w.a}}, {{"y", w.b}});
  encoder.dispatch(w.graph, {{"x", w.b}}, {{"y", last}});
  const auto commands = encoder.finish();
  last.destroy();
  CHECK(thrown([&] { commands.submit(); }) ==
        "TypeError dispatch: the tensor of output \"y\" is destroyed.");
  CHECK(w.read(w.b) == std::array{0.f, 0.f});
  w.graph.destroy();
  CHECK(thrown([&] { commands.submit(); }) ==
        "InvalidStateError dispatch: the graph is destroyed.");
  w.context.destroy();
  CHECK(thrown([&] { commands.submit(); }) == "InvalidStateError submit: the context is lost.");
  CHECK(thrown([&] { draft2023::createCommandEncoder(w.context); }) ==
        "InvalidStateError createCommandEncoder: the context is lost.");
}
