// Graphs whose sizes each run chooses.
#include <atomic>
#include <numeric>
#include <thread>

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

std::vector<float> numbers(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i % 17) * 0.25f - 2;
  return v;
}

/// softmax(x * w) with x [batch, sequence, 8]; `shape` has names or sizes.
MLGraph product(const MLContext& context, const MLDimensions& shape) {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, shape});
  const MLOperand w = b.constant({float32, {8, 5}}, numbers(40));
  return b.build({{"y", b.softmax(b.matmul(x, w, {.label = "product"}), 2)}});
}

std::vector<float> run(MLContext context, const MLGraph& graph, const std::vector<float>& x,
                       const Dims& shape, std::size_t results) {
  std::vector<float> y(results, -1);
  context.compute(graph, {{"x", {x, std::span<const std::uint32_t>(shape)}}}, {{"y", y}});
  return y;
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const TypeError& e) { return e.what(); }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("open shapes: each run has the bits of the static graph") {
  MLContext context;
  const MLGraph open = product(context, {"batch", "sequence", 8});
  CHECK(open.is_open());
  for (const auto& [batch, sequence] :
       {std::pair(1u, 1u), {1u, 37u}, {3u, 5u}, {2u, 64u}, {1u, 37u}}) {
    const Dims shape{batch, sequence, 8};
    const std::size_t rows = std::size_t{batch} * sequence;
    const std::vector<float> x = numbers(rows * 8);
    const MLGraph fixed = product(context, shape);
    CHECK(!fixed.is_open());
    CHECK(run(context, open, x, shape, rows * 5) == run(context, fixed, x, shape, rows * 5));
    const NamedDescriptors shapes = open.computeShapes({{"x", shape}});
    REQUIRE(shapes.size() == 1);
    CHECK(shapes[0].name == "y");
    CHECK(shapes[0].descriptor == MLOperandDescriptor{float32, {batch, sequence, 5}});
  }
}

TEST_CASE("open shapes: spans say one open dimension, shapes several") {
  MLContext context;
  const MLGraph one = product(context, {2, "sequence", 8});
  const std::vector<float> x = numbers(2 * 3 * 8);
  std::vector<float> y(2 * 3 * 5);
  context.compute(one, {{"x", x}}, {{"y", y}});
  CHECK(y == run(context, one, x, {2, 3, 8}, y.size()));
  CHECK(message_of([&] {
          context.compute(one, {{"x", numbers(17)}}, {{"y", y}});
        }) ==
        "compute: the byte length (68) of input \"x\" does not fit float32 [2, sequence, 8] with "
        "any size of \"sequence\".");
  const MLGraph two = product(context, {"batch", "sequence", 8});
  CHECK(message_of([&] {
          context.compute(two, {{"x", x}}, {{"y", y}});
        }) ==
        "compute: the byte length of input \"x\", float32 [batch, sequence, 8], does not determine "
        "its shape: give the shape with the view, or give a tensor.");
  CHECK(message_of([&] {
          run(context, two, x, {2, 3, 7}, y.size());
        }) == "compute: the shape ([2, 3, 7]) of input \"x\" is not float32 [batch, sequence, 8].");
  CHECK(message_of([&] {
          run(context, two, x, {2, 4, 8}, y.size());
        }) ==
        "compute: the byte length (192) of input \"x\" is not that of float32 [2, 4, 8] (256).");
  const MLGraph square = product(context, {"n", "n", 8});
  std::vector<float> z(3 * 3 * 5);
  context.compute(square, {{"x", numbers(72)}}, {{"y", z}});
  CHECK(z == run(context, square, numbers(72), {3, 3, 8}, z.size()));
}

TEST_CASE("open shapes: tensors have their shape") {
  MLContext context;
  const MLGraph graph = product(context, {"batch", "sequence", 8});
  const MLTensor x = context.createTensor({.shape = {2, 3, 8}, .writable = true});
  const MLTensor y = context.createTensor({.shape = {2, 3, 5}, .readable = true});
  const std::vector<float> values = numbers(48);
  context.writeTensor(x, values);
  context.dispatch(graph, {{"x", x}}, {{"y", y}});
  std::vector<float> got(30);
  context.readTensor(y, got);
  CHECK(got == run(context, graph, values, {2, 3, 8}, 30));
  CHECK(message_of([&] {
          context.dispatch(graph, {{"x", x}}, {{"y", x}});
        }).find("one tensor") != std::string::npos);
}

TEST_CASE("open shapes: names are constraints") {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"n", 4}});
  const MLOperand y = b.input("y", {float32, {4, "n"}});
  const MLGraph graph = b.build({{"z", b.matmul(x, y)}});
  std::vector<float> z(9);
  context.compute(graph, {{"x", numbers(12)}, {"y", numbers(12)}}, {{"z", z}});
  CHECK(message_of([&] {
          context.compute(graph, {{"x", numbers(12)}, {"y", numbers(16)}}, {{"z", z}});
        }) == "compute: the byte length (64) of input \"y\" is not that of float32 [4, 3] (48).");
  CHECK(message_of([&] {
          graph.computeShapes({{"x", {3, 4}}, {"y", {4, 5}}});
        }) ==
        "computeShapes: the size (5) of dimension \"n\" of input \"y\" is not that of input \"x\" "
        "(3).");
  CHECK(message_of([&] { graph.computeShapes({}); }) ==
        "computeShapes: input \"x\", float32 [n, 4], is missing.");
  CHECK(
      message_of([&] {
        graph.computeShapes({{"q", {3, 4}}});
      }) ==
      "computeShapes: no input named \"q\"; the graph has \"x\" float32 [n, 4], \"y\" float32 [4, "
      "n].");
}

TEST_CASE("open shapes: a run says which operator does not take its sizes") {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {1, 1, "height", 8}});
  const MLOperand down = b.maxPool2d(x, {.windowDimensions = {{2, 2}}, .strides = {2, 2}});
  const MLOperand up = b.resample2d(down, {.scales = {2, 2}});
  const MLGraph graph = b.build({{"y", b.concat({x, up}, 1, {.label = "neck"})}});
  CHECK(graph.computeShapes({{"x", {1, 1, 6, 8}}})[0].descriptor.shape == Dims{1, 2, 6, 8});
  CHECK(message_of([&] {
          graph.computeShapes({{"x", {1, 1, 7, 8}}});
        }) ==
        "computeShapes: concat [neck]: dimension 2 (6) of inputs[1] differs from that of inputs[0] "
        "(7), with height = 7.");
  CHECK(graph.computeShapes({{"x", {1, 1, 8, 8}}})[0].descriptor.shape == Dims{1, 2, 8, 8});
}

TEST_CASE("open shapes: bounds") {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x =
      b.input("x", {float32, {MLDynamicDimension{.name = "n", .minSize = 2, .maxSize = 5}}});
  const MLGraph graph = b.build({{"y", b.relu(x)}});
  CHECK(graph.computeShapes({{"x", {5}}})[0].descriptor.shape == Dims{5});
  for (const std::uint32_t size : {1u, 6u})
    CHECK(message_of([&] {
            graph.computeShapes({{"x", {size}}});
          }) == "computeShapes: the size (" + std::to_string(size) +
                    ") of dimension \"n\" is not between 2 and 5.");
}

TEST_CASE("open shapes: hostile sizes are refused at once") {
  MLContext context;
  const MLGraph graph = product(context, {"batch", "sequence", 8});
  CHECK(message_of([&] {
          graph.computeShapes({{"x", {0x7fffffff, 0x7fffffff, 8}}});
        }).find("is greater than 2147483647") != std::string::npos);
  CHECK(message_of([&] {
          graph.computeShapes({{"x", {0xffffffff, 1, 8}}});
        }).find("is not between 1 and 2147483647") != std::string::npos);
  CHECK(message_of([&] {
          graph.computeShapes({{"x", {0, 1, 8}}});
        }).find("is not between 1 and") != std::string::npos);
  std::vector<float> y(5);
  CHECK(run(context, graph, numbers(8), {1, 1, 8}, 5).size() == 5);
}

TEST_CASE("open shapes: prepare() gives the graph of its sizes") {
  MLContext context;
  const MLGraph open = product(context, {"batch", "sequence", 8});
  const MLGraph fixed = open.prepare({{"x", {2, 3, 8}}});
  CHECK(!fixed.is_open());
  CHECK(fixed.inputs()[0].descriptor.shape == Dims{2, 3, 8});
  CHECK(fixed.explain().find("batch = 2 and sequence = 3") != std::string::npos);
  CHECK(open.explain() == fixed.explain());
  CHECK(open.inputs()[0].descriptor.shape == Dims{0, 0, 8});
  const std::vector<float> x = numbers(48);
  CHECK(run(context, fixed, x, {2, 3, 8}, 30) == run(context, open, x, {2, 3, 8}, 30));
  CHECK(to_text(open.graph()).find("float32 [\"batch\", \"sequence\", 8]") != std::string::npos);
}

TEST_CASE("open shapes: weights are packed once") {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"rows", 256}});
  const MLOperand w = b.constant({float32, {256, 512}}, numbers(256 * 512));
  const MLGraph graph = b.build({{"y", b.matmul(x, w)}});
  graph.prepare({{"x", {64, 256}}});
  const std::size_t packed = graph.memory().packed;
  for (std::uint32_t rows = 65; rows < 100; ++rows) graph.prepare({{"x", {rows, 256}}});
  // Blocks of some kilobytes, such as a bias, are not shared.
  CHECK(graph.memory().packed <= packed + std::size_t{35} * 4096);
}

TEST_CASE("open shapes: the bound of what is kept") {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"n", 1024}});
  const MLOperand w = b.constant({float32, {1024, 64}}, numbers(1024 * 64));
  const MLGraph graph =
      b.build({{"y", b.softmax(b.matmul(b.sin(x), w), 1)}}, {.specializationBytes = 1 << 20});
  for (std::uint32_t n = 1; n <= 100; ++n) {
    graph.prepare({{"x", {n, 1024}}});
    const GraphMemory m = graph.memory();
    CHECK(m.arena + m.scratch <= (1 << 20) + std::size_t{n} * 1024 * 4 * 2 + (1 << 18));
  }
}

TEST_CASE("open shapes: many sizes from many threads") {
  MLContext context({.threads = 2});
  const MLGraph graph = product(context, {"batch", "sequence", 8});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < 25; ++i) {
        const std::uint32_t sequence = 1 + (i * (t % 2 ? 7 : 5)) % 40;
        const std::vector<float> x = numbers(std::size_t{sequence} * 8);
        const std::vector<float> y = run(context, graph, x, {1, sequence, 8}, sequence * 5);
        float sum = 0;
        for (const float v : y) sum += v;
        if (std::abs(sum - static_cast<float>(sequence)) > 1e-3f) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("open shapes: a destroyed graph and a lost context") {
  MLContext context;
  const MLGraph graph = product(context, {"batch", "sequence", 8});
  graph.prepare({{"x", {1, 2, 8}}});
  MLGraph handle = graph;
  handle.destroy();
  CHECK_THROWS_AS(graph.computeShapes({{"x", {1, 2, 8}}}), InvalidStateError);
  CHECK_THROWS_AS(run(context, graph, numbers(16), {1, 2, 8}, 10), InvalidStateError);
  const MLGraph other = product(context, {"batch", "sequence", 8});
  context.destroy();
  CHECK_THROWS_AS(run(context, other, numbers(16), {1, 2, 8}, 10), InvalidStateError);
  CHECK_THROWS_AS(other.prepare({{"x", {1, 9, 8}}}), InvalidStateError);
}

TEST_CASE("open shapes: a cache that is empty at first") {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand past = b.input(
      "past", {float32, {MLDynamicDimension{.name = "past", .minSize = 0, .maxSize = 64}, 4}});
  const MLOperand fresh = b.input("fresh", {float32, {"new", 4}});
  const MLOperand all = b.concat({b.relu(past), fresh}, 0);
  const MLGraph graph = b.build({{"present", all}, {"sum", b.reduceSum(all, {.axes = {{0}}})}});
  std::vector<float> cache;
  for (std::uint32_t step = 0; step < 5; ++step) {
    const std::vector<float> fresh_row{1, 2, 3, static_cast<float>(step)};
    std::vector<float> present(cache.size() + 4), sum(4);
    context.compute(graph, {{"past", {cache, {step, 4}}}, {"fresh", fresh_row}},
                    {{"present", present}, {"sum", sum}});
    CHECK(std::equal(cache.begin(), cache.end(), present.begin()));
    CHECK(sum[0] == static_cast<float>(step + 1));
    cache = present;
  }
  CHECK(message_of([&] {
          graph.computeShapes({{"past", {0, 4}}, {"fresh", {0, 4}}});
        }) == "computeShapes: the size (0) of dimension \"new\" is not between 1 and 2147483647.");
}

TEST_CASE("open shapes: without elements only results without elements follow") {
  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {MLDynamicDimension{.name = "n", .minSize = 0}, 4}});
  const MLGraph graph = b.build({{"sum", b.reduceSum(x, {.label = "total"})}});
  CHECK(message_of([&] {
          graph.computeShapes({{"x", {0, 4}}});
        }) ==
        "computeShapes: reduceSum [total]: an operand has no elements, but a result has, with n = "
        "0.");
}
