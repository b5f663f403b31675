// Graphs with open dimensions: the general form, and the sizes that were ready.
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
