// What is loaded is the graph that was saved: names, kernels, and the bits of its results.
#include <cstdlib>
#include <filesystem>

#include "src/runtime/graph_state.h"
#include "tests/formats/compiled/networks.h"
#include "tests/random/generator.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/state.h"

using namespace webnn;
using namespace webnn::test;

namespace {

std::vector<std::string> kernels(const MLGraph& graph) {
  std::vector<std::string> all;
  for (const StepReport& s : graph.report().steps) {
    std::string text = s.backend + ": " + s.kernel + ' ' + std::to_string(s.tiles) + ' ' +
                       std::to_string(s.packed);
    for (const Node& n : s.operators) text += ' ' + std::string(n.name()) + std::string(n.label());
    for (const std::string& other : s.others) text += "; " + other;
    all.push_back(std::move(text));
  }
  return all;
}

void check_equal(const MLContext& context, const MLGraph& graph, const MLGraph& again) {
  CHECK(again.inputs() == graph.inputs());
  CHECK(again.outputs() == graph.outputs());
  CHECK(kernels(again) == kernels(graph));
  CHECK(again.report().passes.size() == graph.report().passes.size());
  CHECK(again.report().arena == graph.report().arena);
  CHECK(results(context, again) == results(context, graph));
}

bool has_backend(const std::string& name) {
  for (const std::string& b : MLContext({.threads = 1}).backends())
    if (b == name) return true;
  return false;
}

/// Each order of backends that this build can have.
std::vector<std::vector<BackendChoice>> orders() {
  std::vector<std::vector<BackendChoice>> all{{}, {"reference"}};
  for (const char* name : {"simd", "onednn", "xnnpack"})
    if (has_backend(name)) all.push_back({name, "reference"});
  return all;
}

/// A file that goes away with this.
struct File {
  std::string path = (std::filesystem::temp_directory_path() /
                      ("webnn-compiled-" + std::to_string(std::rand()) + ".webnnc"))
                         .string();
  ~File() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("round trip: networks of each kind, with each backend") {
  for (const auto& order : orders())
    for (const Network& network : networks()) {
      const MLContext context({.threads = 2, .backends = order, .keepConstants = true});
      CAPTURE(network.name, context.backends());
      const MLGraph graph = built(context, network);
      const std::vector<std::byte> bytes = compiled::bytes_of(graph);
      check_equal(context, graph, loaded(context, bytes));
      check_equal(context, graph, loaded(context, bytes, {.verify = compiled::Verify::full}));
      // Saved again it is the same file, whatever it was loaded from.
      CHECK(compiled::bytes_of(loaded(context, bytes)) == bytes);
      for (int threads : {1, 3}) {
        const MLContext other({.threads = threads, .backends = order});
        CHECK(results(other, loaded(other, bytes)) == results(context, graph));
      }
    }
}

TEST_CASE("round trip: constants that build() has dropped are not needed") {
  for (const auto& order : orders())
    for (const Network& network : networks()) {
      const MLContext context({.threads = 2, .backends = order});
      const auto backends = context.backends();
      if (backends.front() == "xnnpack") continue;  // some versions of it pack by themselves
      CAPTURE(network.name, backends);
      const MLGraph graph = built(context, network);
      check_equal(context, graph, loaded(context, compiled::bytes_of(graph)));
    }
}

TEST_CASE("round trip: weights are in the file and mapped, not copied") {
  if (!has_backend("simd")) return;
  const MLContext context({.threads = 1, .backends = {"simd", "reference"}});
  const MLGraph graph = built(context, {"products", &products});
  CHECK(graph.memory().packed > 8 << 20);  // 17000 x 128 floats
  const File file;
  compiled::save(graph, file.path);
  // Once: packed, without the constants that they were made from.
  CHECK(std::filesystem::file_size(file.path) < graph.memory().packed + (256 << 10));
  const MLGraph again = compiled::load(context, file.path);
  CHECK(again.memory().packed == 0);
  CHECK(again.memory().constants == 0);
  CHECK(again.report().steps.size() == graph.report().steps.size());
  // A process that has mapped a file keeps its contents, whatever replaces it.
  compiled::save(built(context, {"recurrent", &recurrent}), file.path);
  std::filesystem::remove(file.path);
  check_equal(context, graph, again);
}

TEST_CASE("round trip: weights of 8 bits are in the file once, packed") {
  if (!has_backend("simd")) return;
  const MLContext context({.threads = 1, .backends = {"simd", "reference"}});
  const MLGraph graph = built(context, {"large quantized", &large_quantized});
  std::vector<std::string> names;
  for (const StepReport& s : graph.report().steps) names.push_back(s.kernel);
  std::ranges::sort(names);
  CHECK(names ==
        std::vector<std::string>{"int8 conv", "int8 conv 1x1", "int8 depthwise", "int8 gemm"});
  const File file;
  compiled::save(graph, file.path);
  constexpr std::uint64_t bytes = 128 * 9 * 64 + 1408 * 128 + 49 * 1408 + 256 * 300;
  const std::uint64_t weights = compiled::describe(file.path).weights;
  CHECK(weights > bytes);
  CHECK(weights < bytes * 3 / 2);  // padding, sums and scales of columns
  const MLGraph again = compiled::load(context, file.path);
  check_equal(context, graph, again);
  CHECK(again.memory().constants == 0);
}

TEST_CASE("round trip: a graph is saved when no handle of its context is left") {
  for (const Network& network : networks()) {
    CAPTURE(network.name);
    std::optional<MLContext> context(std::in_place,
                                     MLContextOptions{.threads = 1, .keepConstants = true});
    const MLGraph graph = built(*context, network);
    const std::vector<std::byte> bytes = compiled::bytes_of(graph);
    context.reset();
    CHECK(compiled::bytes_of(graph) == bytes);
  }
}

TEST_CASE("round trip: memoryLimit does not count what is mapped") {
  if (!has_backend("simd")) return;
  MLContextOptions options{.threads = 1, .backends = {"simd", "reference"}};
  const MLContext context(options);
  MLGraph graph = built(context, {"products", &products});
  const std::vector<std::byte> bytes = compiled::bytes_of(graph);
  const Results expected = results(context, graph);
  graph.destroy();  // so that its weights are not shared
  options.memoryLimit = 4 << 20;
  const MLContext small(options);
  CHECK(thrown([&] { built(small, {"products", &products}); }).starts_with("OperationError build"));
  CHECK(results(small, loaded(small, bytes)) == expected);
}

TEST_CASE("round trip: random graphs") {
  const MLContext context({.threads = 2, .keepConstants = true});
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    MLGraphBuilder b(context);
    const MLGraph graph = b.build(random_graph(b, seed).outputs);
    check_equal(context, graph, loaded(context, compiled::bytes_of(graph)));
  }
}

TEST_CASE("round trip: every operator") {
  const MLContext context({.threads = 1, .keepConstants = true});
  for (std::size_t kind = 0; kind < ops::AllOps::size; ++kind)
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      CAPTURE(ops::AllOps::names[kind], seed);
      MLGraphBuilder b(context);
      const MLGraph graph = b.build(random_operator(b, kind, seed).outputs);
      check_equal(context, graph, loaded(context, compiled::bytes_of(graph)));
    }
}

TEST_CASE("round trip: states that are updated in place") {
  const MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand past = b.input("past", {float32, {5, 8}}),
                  row = b.input("row", {float32, {1, 8}}),
                  at = b.input("position", {int32, {1, 1}});
  const MLOperand next = b.scatterND(past, at, row);
  update(b, past, next);
  const MLGraph graph = b.build({{"other", b.relu(row)}, {"next", next}});
  const MLGraph again = loaded(context, compiled::bytes_of(graph));
  const auto& before = detail::state_of(graph)->updates;
  const auto& after = detail::state_of(again)->updates;
  REQUIRE(before.size() == 1);
  REQUIRE(after.size() == 1);
  CHECK(before[0].in_place);
  CHECK(after[0].in_place);
  CHECK(after[0].input == before[0].input);
  CHECK(after[0].output == before[0].output);
}

TEST_CASE("round trip: names, labels and texts of the program") {
  const MLContext context({.threads = 1, .backends = {"reference"}});
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x \"1\"\n\xc3\xa9", {float32, {2}});
  const MLGraph graph = b.build({{"y/0", b.tanh(x, {.label = "the \"label\"\n"})}});
  const File file;
  compiled::save(graph, file.path, {.metadata = {{"scale", "0.5"}, {"", "\n"}}});
  const MLGraph again = compiled::load(context, file.path);
  CHECK(again.inputs() == graph.inputs());
  CHECK(again.graph().node(0).label() == "the \"label\"\n");
  CHECK(again.graph() == graph.optimized());
  const compiled::Description d = compiled::describe(file.path);
  CHECK(d.metadata == compiled::Metadata{{"scale", "0.5"}, {"", "\n"}});
  CHECK(d.key == compiled::key_of(context));
  // The hashes tell graphs and weights apart.
  const auto hashes = [&](float value, bool relu) {
    MLGraphBuilder n(context);
    const MLOperand y = n.add(n.input("x", {float32, {2}}), n.constant(float32, value));
    const File other;
    compiled::save(n.build({{"y", relu ? n.relu(y) : n.neg(y)}}), other.path);
    const auto h = compiled::describe(other.path);
    return std::pair(h.graph_hash, h.weights_hash);
  };
  CHECK(hashes(1, true) == hashes(1, true));
  CHECK(hashes(1, true).first == hashes(2, true).first);
  CHECK(hashes(1, true).second != hashes(2, true).second);
  CHECK(hashes(1, true).first != hashes(1, false).first);
}

TEST_CASE("round trip: a fused operator, of which the program sees the composition") {
  for (const auto& order : orders()) {
    const MLContext context({.threads = 1, .backends = order});
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {2, 3}}), y = b.neg(x);
    const MLGraph graph = b.build({{"y", b.mul(y, b.sigmoid(y), {.label = "act"})}});
    const File file;
    compiled::save(graph, file.path);
    const MLGraph again = compiled::load(context, file.path);
    check_equal(context, graph, again);
    CHECK(again.graph() == graph.optimized());
    CHECK(again.optimized() == graph.optimized());
    CHECK(detail::state_of(again)->optimized == detail::state_of(graph)->optimized);
    CHECK(again.optimized().size() == 3);
  }
}

TEST_CASE("round trip: attention and rotary embeddings have the same kernels") {
  if (!has_backend("simd")) return;
  const MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build(attentions(b));
  const MLGraph again = loaded(context, compiled::bytes_of(graph));
  std::size_t found = 0;
  for (const MLGraph& g : {graph, again})
    for (const char* kernel : {"attention", "rotary embedding"})
      found += g.explain().find(kernel) != std::string::npos;
  CHECK(found == 4);
  CHECK(detail::state_of(again)->optimized == detail::state_of(graph)->optimized);
  CHECK(again.optimized() == graph.optimized());
}

TEST_CASE("compiled: the list of inputs, of which those may be left out that nothing reads") {
  const MLOperandDescriptor two{float32, {2}}, row{float32, {1, 2}};
  MLContext context({.threads = 1, .keepConstants = true});
  MLGraphBuilder b(context);
  const MLOperand unread = b.input("unread", two), y = b.input("y", two), x = b.input("x", two),
                  dropped = b.input("dropped", row);
  // The passes see that nothing of the first half is needed.
  const MLOperand half = b.slice(b.concat({b.reshape(dropped, {2}), x}, 0), {2}, {2});
  const MLGraph graph =
      b.build({{"z", b.sub(y, half)}},
              {.inputs = {{"unread", unread}, {"x", x}, {"dropped", dropped}, {"y", y}}});
  const File file;
  compiled::save(graph, file.path);
  const MLGraph again = compiled::load(context, file.path);
  CHECK(again.inputs() == graph.inputs());
  const float a[]{1, 2}, c[]{5, 9};
  for (const MLGraph& g : {graph, again}) {
    float z[2]{};
    context.compute(g, {{"x", a}, {"y", c}, {"dropped", a}}, {{"z", z}});
    CHECK(z[0] == 4);
    CHECK(z[1] == 7);
    CHECK(thrown([&] {
            context.compute(g, {{"x", a}, {"y", c}}, {{"z", z}});
          }) == "TypeError compute: input \"dropped\" is missing.");
  }
}

TEST_CASE("a file has the first values of the states that a graph keeps") {
  const std::vector<float> first{1, 2};
  for (const bool open : {false, true}) {
    MLContext context({.threads = 1});
    MLGraphBuilder b(context);
    const MLDimension n = open ? MLDimension("n") : MLDimension(2);
    const MLOperand x = b.input("x", {float32, {n, 2}}), sum = b.input("sum", {float32, {2}});
    const MLOperand next = b.add(sum, b.reduceSum(x, {.axes = Dims{0}}));
    keepState(b, sum, next, Constant::copy_of(std::as_bytes(std::span(first))));
    const MLGraph graph = b.build({{"y", b.neg(next)}, {"next", next}});
    const auto run = [&](const MLGraph& g) {
      std::vector<float> values{1, 2, 3, 4}, y(2);
      context.compute(g, {{"x", InputView(values, Dims{2, 2})}}, {{"y", y}});
      return y;
    };
    CHECK(run(graph) == std::vector<float>{-5, -8});
    const File file;
    compiled::save(graph, file.path);
    const MLGraph again = compiled::load(context, file.path);
    CHECK(run(again) == std::vector<float>{-5, -8});
    CHECK(run(again) == std::vector<float>{-9, -14});
    CHECK(run(graph) == std::vector<float>{-9, -14});
  }
}
