// Graphs with open dimensions: the general form, and the sizes that were ready.
#include "src/builder/loop_recorder.h"
#include "src/formats/compiled/file.h"
#include "src/runtime/graph_state.h"
#include "tests/formats/compiled/networks.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/state.h"

using namespace webnn;
using namespace webnn::test;

namespace {

NamedOperands open_network(MLGraphBuilder& b) {
  const MLOperand x =
      b.input("x", {float32, {MLDynamicDimension{.name = "rows", .maxSize = 64}, "columns", 8}});
  const MLOperand y = b.relu(b.matmul(x, weights(b, {8, 40}, 1)));
  const MLOperand flat = b.reshapeDynamic(
      y, b.cast(b.concat({b.reshape(b.mul(b.dimension(x, 0), b.dimension(x, 1)), {1}),
                          b.constant({uint32, {1}}, {40u})},
                         0),
                int64));
  return {{"y", b.softmax(y, 2)}, {"flat", b.matmul(flat, weights(b, {40, 3}, 2))}};
}

std::vector<std::vector<std::byte>> run(MLContext context, const MLGraph& graph, Dims shape) {
  const Tensor x = Random(3).tensor(float32, shape, -2, 2);
  std::vector<std::vector<std::byte>> all;
  for (const auto& [name, d] : graph.computeShapes({{"x", shape}}))
    all.emplace_back(static_cast<std::size_t>(byte_length(d)));
  std::vector<NamedOutput> outputs;
  for (std::size_t i = 0; i < all.size(); ++i) outputs.push_back({graph.outputs()[i].name, all[i]});
  const std::vector<NamedInput> inputs{{"x", InputView(x.bytes, shape)}};
  context.compute(graph, std::span<const NamedInput>(inputs),
                  std::span<const NamedOutput>(outputs));
  return all;
}

MLTensor context_tensor(MLContext context, const Dims& shape) {
  return context.createTensor(
      {.dataType = float32, .shape = shape, .readable = true, .writable = true});
}

std::vector<DimensionSizes> sizes_of(const MLGraph& graph) {
  return detail::state_of(graph)->open->sizes();
}

}  // namespace

TEST_CASE("open dimensions: a loaded graph runs at all sizes, those that were ready first") {
  for (const bool keep : {true, false}) {
    const MLContext context({.threads = 2, .keepConstants = keep});
    MLGraphBuilder b(context);
    const MLGraph graph = b.build(open_network(b));
    graph.prepare({{"x", {5, 7, 8}}});
    graph.prepare({{"x", {2, 30, 8}}});
    const auto bytes = compiled::bytes_of(graph, {.metadata = {{"name", "value"}}});
    compiled::Metadata metadata;
    const MLGraph again = loaded(context, bytes, {.metadata = &metadata});
    CHECK(metadata == compiled::Metadata{{"name", "value"}});
    CHECK(again.graph() == graph.graph());
    CHECK(sizes_of(again) == sizes_of(graph));
    CHECK(sizes_of(again)[0] == DimensionSizes{2, 30});
    CHECK(sizes_of(again)[1] == DimensionSizes{5, 7});
    for (const Dims& shape : {Dims{5, 7, 8}, {2, 30, 8}, {1, 1, 8}, {64, 3, 8}})
      CHECK(run(context, again, shape) == run(context, graph, shape));
    CHECK(thrown([&] {
            run(context, again, {65, 1, 8});
          }) == thrown([&] {
            run(context, graph, {65, 1, 8});
          }));
    CHECK(compiled::bytes_of(loaded(context, compiled::bytes_of(graph))) ==
          compiled::bytes_of(graph));
  }
}

TEST_CASE("open dimensions: a file has loops whose iterations follow from sizes") {
  const MLContext context({.threads = 2});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"steps", "batch", 8}});
  LoopRecorder loop(b, b.cast(b.dimension(x, 0), int64), b.constant(uint8, 1));
  loop.begin();
  const MLOperand h = loop.state(weights(b, {1, 40}, 2));
  const MLOperand row = b.reshapeDynamic(
      b.gather(x, loop.iteration()),
      b.concat({b.slice(b.shape(x), {1}, {1}), b.constant({uint32, {1}}, {8u})}, 0));
  const MLOperand next = b.tanh(b.add(b.matmul(h, weights(b, {40, 40}, 3)),
                                      b.reduceMean(b.matmul(row, weights(b, {8, 40}, 1)),
                                                   {.axes = {{0}}, .keepDimensions = true})));
  const auto made = loop.finish({next}, {b.reshape(next, {1, 1, 40})}, {}, "cell");
  const MLGraph graph = b.build({{"y", made[0]}, {"all", made[1]}});
  graph.prepare({{"x", {5, 2, 8}}});
  const auto bytes = compiled::bytes_of(graph);
  const MLGraph again = loaded(context, bytes);
  CHECK(again.graph() == graph.graph());
  CHECK(compiled::bytes_of(again) == bytes);
  for (const Dims& shape : {Dims{5, 2, 8}, {1, 1, 8}, {30, 3, 8}})
    CHECK(run(context, again, shape) == run(context, graph, shape));
  // The weights are those of one iteration, whatever their number.
  const auto at = detail::state_of(again)->open->all();
  CHECK(at.front()->weights.blocks().size() == at.back()->weights.blocks().size());
}

TEST_CASE("open dimensions: packed weights are stored once, and not packed again") {
  const auto new_bytes = [](const MLGraph& graph) {
    std::size_t bytes = 0;
    for (const auto& g : detail::state_of(graph)->open->all()) bytes += g->weights.new_bytes();
    return bytes;
  };
  const MLContext context({.threads = 2, .keepConstants = true});
  std::vector<std::byte> bytes;
  std::vector<std::vector<std::byte>> expected;
  std::size_t packed = 0;
  {
    MLGraphBuilder b(context);
    const MLGraph graph = b.build(open_network(b));
    graph.prepare({{"x", {5, 7, 8}}});
    graph.prepare({{"x", {1, 1, 8}}});
    expected = run(context, graph, {5, 7, 8});
    packed = new_bytes(graph);
    bytes = compiled::bytes_of(graph);
  }
  const MLGraph again = loaded(context, bytes);
  CHECK(run(context, again, {5, 7, 8}) == expected);
  CHECK(detail::state_of(again)->open->all().size() >= 3);
  if (packed > 0) {
    CHECK(new_bytes(again) == 0);
    CHECK(!detail::state_of(again)->open->weights().empty());
  }
  // A new size that has the same weights:
  run(context, again, {6, 7, 8});
  CHECK(new_bytes(again) == 0);
}

TEST_CASE("open dimensions: states grow after loading") {
  const MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLDynamicDimension rows{.name = "rows", .minSize = 0, .maxSize = 12};
  const MLOperand past = b.input("past", {float32, {rows, 4}});
  const MLOperand present = b.concat({past, b.input("fresh", {float32, {1u, 4u}})}, 0);
  const MLOperand queries = b.input("queries", {float32, {1u, 4u}});
  const MLOperand scores = b.matmul(queries, b.transpose(present, {.permutation = {{1, 0}}}));
  update(b, past, present);
  const MLGraph graph =
      b.build({{"y", b.matmul(b.softmax(scores, 1), present)}, {"present", present}});
  const MLGraph again = loaded(context, compiled::bytes_of(graph));
  std::vector<std::vector<std::vector<std::byte>>> results;
  for (const MLGraph& g : {graph, again}) {
    const MLTensor state = createState(g, "past");
    auto& all = results.emplace_back();
    for (float i = 0; i < 12; ++i) {
      const auto tensor = [&](float v) {
        const MLTensor t = context_tensor(context, {1, 4});
        MLContext(context).writeTensor(t, std::vector<float>{v, 1, -v, i});
        return t;
      };
      const MLTensor y = tensor(0);
      MLContext(context).dispatch(g,
                                  {{"past", state}, {"fresh", tensor(i)}, {"queries", tensor(3)}},
                                  {{"y", y}, {"present", state}});
      all.push_back(MLContext(context).readTensor(y));
    }
    all.push_back(MLContext(context).readTensor(state));
    CHECK(stateCapacity(state) == 12);
  }
  CHECK(results[0] == results[1]);
}

TEST_CASE("open dimensions: states are updated after loading") {
  const MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"n", 2}}), sum = b.input("sum", {float32, {2}});
  const MLOperand next = b.add(sum, b.reduceSum(x, {.axes = Dims{0}}));
  update(b, sum, next);
  const MLGraph graph = b.build({{"next", next}});
  const MLGraph again = loaded(context, compiled::bytes_of(graph));
  CHECK(again.prepare({{"x", {3, 2}}}).explain() == graph.prepare({{"x", {3, 2}}}).explain());
}

TEST_CASE("open dimensions: damaged files with the right checksums are refused or run") {
  const MLContext context({.threads = 1, .memoryLimit = 1 << 28});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build(open_network(b));
  graph.prepare({{"x", {5, 7, 8}}});
  const auto whole = compiled::bytes_of(graph);
  const auto section = compiled::header_of(whole)->sections[0];
  Random random(5);
  std::size_t refused = 0, ran = 0;
  for (std::size_t i = 0; i < 600; ++i) {
    auto bytes = whole;
    for (std::size_t k = 0; k <= i % 3; ++k)
      bytes[section.offset + (random.next() >> 8) % section.size] ^=
          static_cast<std::byte>(1u << random.next() % 8);
    compiled::repair_checksums(bytes);
    try {
      const MLGraph again = loaded(context, bytes);
      ++ran;
      run(context, again, {5, 7, 8});
    } catch (const DataError&) {
      ++refused;
    } catch (const TypeError&) {  // of the run: names and bounds may be others
    } catch (const OperationError&) {}
  }
  CAPTURE(refused, ran);
  CHECK(refused > 200);
  CHECK(ran > 5);
}
