// Weights are packed when their kernels are chosen: each block once, on all threads.
#include "src/runtime/packed_weights.h"

#include <cstring>
#include <numeric>
#include <set>

#include "src/kernels/backends.h"
#include "src/runtime/graph_state.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/passes.h"

using namespace webnn;
using test::own_backend, test::thrown;

namespace {

constexpr std::uint32_t size = 256;
constexpr std::size_t count = std::size_t{size} * size;

std::vector<float> values(float factor) {
  std::vector<float> v(count);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = factor * static_cast<float>(i % 13) - 6;
  return v;
}

/// Adds a constant that it has packed, in parts: in the order of the elements, or reversed.
struct PackingBackend {
  std::atomic<int> lowered{0}, filled{0};
  std::atomic<int> not_zero{0};  // elements of blocks before they are filled, on any thread
  std::mutex mutex{};
  std::set<std::thread::id> threads{};
  std::string layout = "reversed/1";
  std::function<void(int part)> before = [](int) {};
  int parts = 16;
  std::shared_ptr<test::OwnBackend> backend =
      own_backend([this](Chain chain) { return lower(chain); }, "packing");

  ~PackingBackend() { CHECK(not_zero == 0); }

  Lowering lower(Chain chain) {
    const auto* op = chain[0].as<ops::add>();
    if (chain.size() > 1 || !op || !op->b.constant()) return Refusal{"only add"};
    ++lowered;
    WeightBlock block{
        .bytes = count * sizeof(float),
        .layout = layout,
        .inputs = {1},
        .parts = parts,
        .fill = [this, b = op->b, n = parts](std::byte* to, int part) { fill(b, to, part, n); }};
    return Candidate{.name = "sum",
                     .weights = {std::move(block)},
                     .run = [](Range, const Buffers& b, std::byte*) {
                       for (std::size_t i = 0; i < count; ++i)
                         b.out<float>()[i] = (b.inputs[1] ? NAN : b.in<float>()[i]) +
                                             b.packed<float>()[count - 1 - i];
                     }};
  }

 private:
  void fill(const MLOperand& b, std::byte* to, int part, int n) {
    before(part);
    ++filled;
    {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    const auto* from = reinterpret_cast<const float*>(b.constant()->bytes().data());
    auto* floats = reinterpret_cast<float*>(to);
    const std::size_t each = count / static_cast<std::size_t>(n);
    for (std::size_t i = static_cast<std::size_t>(part) * each; i < count; ++i) {
      if (i == static_cast<std::size_t>(part + 1) * each) break;
      if (floats[i] != 0) ++not_zero;
      floats[i] = from[count - 1 - i];
    }
  }
};

NamedOperands sums(MLGraphBuilder& b, std::initializer_list<float> factors) {
  MLOperand x = b.input("x", {float32, {size, size}});
  for (const float f : factors) x = b.add(x, b.constant({float32, {size, size}}, values(f)));
  return {{"y", x}};
}

std::vector<float> run(MLContext& context, const MLGraph& graph) {
  const std::vector<float> x(count, 0.5f);
  std::vector<float> y(count);
  context.compute(graph, {{"x", x}}, {{"y", y}});
  return y;
}

MLContext context_of(const PackingBackend& p, int threads = 3) {
  return MLContext({.threads = threads, .backends = {p.backend, "reference"}});
}

}  // namespace

TEST_CASE("packed weights: all parts of each block are filled once, on all threads") {
  PackingBackend p;
  std::atomic<int> waiting{0};
  p.before = [&](int) {  // each of two threads has a part
    ++waiting;
    waiting.notify_all();
    if (waiting < 2) waiting.wait(1);
  };
  MLContext context = context_of(p);
  MLGraphBuilder b(context);
  const MLGraph graph = b.build(sums(b, {1, 2}));
  CHECK(p.lowered == 2);
  CHECK(p.filled == 2 * p.parts);
  CHECK(p.threads.size() >= 2);
  CHECK(graph.memory().packed == 2 * count * sizeof(float));
  CHECK(graph.memory().constants == 0);
  const std::vector<float> y = run(context, graph), one = values(1), two = values(2);
  for (std::size_t i = 0; i < count; ++i) REQUIRE(y[i] == 0.5f + one[i] + two[i]);
}

TEST_CASE("packed weights: a block is shared by its constants and its layout") {
  PackingBackend p;
  MLContext context = context_of(p);
  MLGraphBuilder b(context);
  MLOperand x = b.input("x", {float32, {size, size}});
  const MLOperand w = b.constant({float32, {size, size}}, values(3));
  for (int i = 0; i < 3; ++i) x = b.tanh(b.add(x, w));
  const MLGraph graph = b.build({{"y", x}});
  CHECK(p.lowered >= 3);
  CHECK(p.filled == p.parts);
  CHECK(graph.memory().packed == count * sizeof(float));
  CHECK(graph.memory().shared == 0);
}

TEST_CASE("packed weights: another graph of the same constants packs nothing") {
  PackingBackend p;
  MLContext context({.threads = 2, .backends = {p.backend, "reference"}, .keepConstants = true});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build(sums(b, {4}));
  CHECK(p.filled == p.parts);
  const MLGraph same = build_graph(context, graph.graph());
  CHECK(p.filled == p.parts);
  CHECK(same.memory().shared == count * sizeof(float));
  CHECK(run(context, same) == run(context, graph));
  p.layout = "reversed/2";
  const MLGraph other = build_graph(context, graph.graph());
  CHECK(p.filled == 2 * p.parts);
  CHECK(other.memory().shared == 0);
}

TEST_CASE("packed weights: equal constants of other builders are packed, and held once") {
  PackingBackend p;
  MLContext context = context_of(p);
  MLGraphBuilder b(context), c(context), d(context);
  const MLGraph graph = b.build(sums(b, {5}));
  const MLGraph same = c.build(sums(c, {5}));
  CHECK(p.filled == 2 * p.parts);
  CHECK(same.memory().shared == count * sizeof(float));
  const auto block = [](const MLGraph& g) {
    return detail::state_of(g)->plan.steps.at(0).choice.blocks.at(0).get();
  };
  CHECK(block(graph) == block(same));
  CHECK(block(graph) != block(d.build(sums(d, {6}))));
}

TEST_CASE("packed weights: what a fill throws ends the build and names the operator") {
  PackingBackend p;
  MLContext context = context_of(p);
  const auto error = [&](std::function<void(int)> before) {
    p.before = std::move(before);
    MLGraphBuilder b(context);
    return thrown([&] { b.build(sums(b, {7})); });
  };
  CHECK(error([](int part) {
          if (part == 9) throw std::runtime_error("it is tired");
        }) == "OperationError build: the weights of add for packing are not packed: it is tired.");
  CHECK(error([](int) {
          throw 1;
        }).ends_with("are not packed: it threw an exception that is not a std::exception."));
  CHECK(error([](int) { throw std::bad_alloc(); }) == "OperationError build: out of memory.");
  CHECK(error([](int) {}) == "nothing");
}

TEST_CASE("packed weights: progress in bytes, and where it stops") {
  PackingBackend p;
  MLContext context = context_of(p);
  MLGraphBuilder b(context);
  std::size_t last = 0, total = 0;
  b.build(sums(b, {8, 9}), {.progress = [&](const BuildProgress& progress) {
            if (progress.stage != "weights") return;
            CHECK(progress.done > last);
            last = progress.done, total = progress.total;
          }});
  CHECK(last == total);
  CHECK(total == 2 * count * sizeof(float));

  std::stop_source source;
  p.filled = 0;
  MLGraphBuilder c(context);
  CHECK(thrown([&] {
          c.build(sums(c, {10}), {.progress =
                                      [&](const BuildProgress& progress) {
                                        if (progress.stage == "weights") source.request_stop();
                                      },
                                  .stop = source.get_token()});
        }) == "nothing");  // it was the last report
  CHECK(p.filled == p.parts);
}

TEST_CASE("packed weights: a limit of memory counts what is packed") {
  PackingBackend p;
  MLContext context(
      {.threads = 1, .backends = {p.backend, "reference"}, .memoryLimit = 3 * count * 4});
  MLGraphBuilder b(context);
  CHECK(thrown([&] {
          b.build(sums(b, {11, 12, 13, 14}));
        }).find("weights of add 0.3 MB") != std::string::npos);
}

TEST_CASE("packed weights: no backend reads large constants to make a candidate") {
  MLContext context({.threads = 1, .keepConstants = true});
  MLGraphBuilder b(context);
  const auto large = [&](Dims shape, float factor) {
    std::vector<float> v(element_count(shape));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = factor * static_cast<float>(i % 7);
    return b.constant({float32, std::move(shape)}, v);
  };
  const MLOperand x = b.input("x", {float32, {4, 192}}),
                  image = b.input("image", {float32, {1, 16, 16, 64}});
  const MLConv2dOptions nhwc{.inputLayout = MLInputOperandLayout::nhwc,
                             .filterLayout = MLConv2dFilterOperandLayout::ohwi};
  const std::vector<std::byte> integers(256 * 2048 / 2, std::byte{0x37}), zeros(256 * 64 / 2);
  const MLOperand small = b.dequantizeLinear(b.constant({uint4, {256, 2048}}, integers),
                                             large({256, 64}, 0.01f),  // the scales
                                             b.constant({uint4, {256, 64}}, zeros));
  const NamedOperands outputs{
      {"small", b.gemm(b.input("long", {float32, {4, 2048}}), small, {.bTranspose = true})},
      {"product", b.gemm(x, large({192, 256}, 0.1f))},
      {"scaled", b.gemm(x, large({256, 192}, 0.2f), {.alpha = 2, .bTranspose = true})},
      {"narrow", b.matmul(b.input("wide", {float32, {4, 8192}}), large({8192, 2}, 0.1f))},
      {"pointwise", b.conv2d(image, large({256, 1, 1, 64}, 0.1f), nhwc)},
      {"strided", b.conv2d(image, large({64, 2, 2, 64}, 0.1f),
                           {.strides = {2, 2},
                            .inputLayout = MLInputOperandLayout::nhwc,
                            .filterLayout = MLConv2dFilterOperandLayout::ohwi})},
      {"transposed",
       b.convTranspose2d(image, large({64, 128, 2, 2}, 0.1f),
                         {.strides = {2, 2},
                          .inputLayout = MLInputOperandLayout::nhwc,
                          .filterLayout = MLConvTranspose2dFilterOperandLayout::iohw})}};
  const MLGraph graph = b.build(outputs);
  // The same graph without the values of its large constants.
  Graph released = unique(graph.optimized());
  for (std::size_t i = 0; i < released.operand_count(); ++i)
    if (const Constant* c = released.operand(i).constant(); c && is_large(*c))
      detail::Access::release(const_cast<Constant&>(*c));
  std::size_t wanted = 0;
  for (const std::string_view name : backend_names()) {
    if (name == "reference" || name == "xnnpack") continue;  // these keep them
    const BackendChoice choice{std::string(name)};
    const auto backend = backends_for({&choice, 1}).at(0);
    for (const Step& step : detail::state_of(graph)->plan.steps) {
      std::vector<Node> chain, bare;
      for (const Node& node : step.choice.chain) {
        chain.push_back(node);
        bare.push_back(released.node(node.output().record().producer));
      }
      const Lowering with = lower_checked(*backend, chain), without = lower_checked(*backend, bare);
      CAPTURE(name, step.choice.kernel->name);
      const auto* k = std::get_if<Candidate>(&with);
      if (!k) continue;
      const auto* l = std::get_if<Candidate>(&without);
      CAPTURE(l ? "" : std::get<Refusal>(without).reason);
      REQUIRE(l);
      CHECK(k->name == l->name);
      REQUIRE(k->weights.size() == l->weights.size());
      for (std::size_t i = 0; i < k->weights.size(); ++i, ++wanted) {
        CHECK(k->weights[i].bytes == l->weights[i].bytes);
        CHECK(k->weights[i].layout == l->weights[i].layout);
      }
    }
  }
  if (std::ranges::count(backend_names(), "simd")) CHECK(wanted > 5);
}
