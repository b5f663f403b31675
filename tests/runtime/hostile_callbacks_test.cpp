// Functions of the program that throw, and that come back to what calls them.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/allocator.h"
#include "webnn/custom.h"
#include "webnn/tracing.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

const std::array<float, 4> values{1, -2, 3, -4};

/// relu(-x) + 1, with `between` after the first operator.
MLGraph graph_of(
    const MLContext& context, const std::function<void()>& between = [] {}) {
  const auto passes_on =
      custom_operator({.name = "test.Calls",
                       .infer = [](const CustomCall& call) { return call.inputs; },
                       .compute =
                           [between](const CustomRun& run) {
                             between();
                             std::ranges::copy(run.in<float>(0), run.out<float>().begin());
                           },
                       .pure = false});
  MLGraphBuilder b(context);
  const MLOperand x = b.custom(passes_on, {b.neg(b.input("x", {float32, {4}}))})[0];
  return b.build({{"y", b.add(b.relu(x), b.constant(float32, 1))}});
}
std::array<float, 4> run(MLContext context, const MLGraph& graph) {
  std::array<float, 4> y{};
  context.compute(graph, {{"x", values}}, {{"y", y}});
  return y;
}
constexpr std::array<float, 4> expected{1, 3, 1, 5};

/// Calls `act` at each allocation.
struct Calling : Allocator {
  std::function<void()> act{};

  void* allocate(std::size_t bytes, std::size_t alignment, MemoryPurpose) override {
    if (act) act();
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  void deallocate(void* memory, std::size_t, MemoryPurpose) noexcept override { std::free(memory); }
};

/// What f throws, or nothing; its messages are collected.
template <class F> void note(std::vector<std::string>& all, F&& f) {
  try {
    f();
    all.emplace_back();
  } catch (const InvalidStateError& e) { all.emplace_back(e.what()); }
}

}  // namespace

TEST_CASE("trace: a function that runs the graph which calls it is refused") {
  for (const int threads : {1, 2}) {
    std::vector<std::string> said;
    MLContext* self = nullptr;
    MLGraph graph, other;
    std::atomic<bool> inside = false;
    MLContext context({.threads = threads, .trace = [&](const TraceEvent&) {
                         if (!graph || inside.exchange(true)) return;
                         note(said, [&] { run(*self, graph); });
                         CHECK(run(*self, other) == expected);
                         inside = false;
                       }});
    self = &context;
    const MLGraph made = graph_of(context);
    other = graph_of(context);
    graph = made;
    CHECK(run(context, graph) == expected);
    REQUIRE(said.size() >= 2);
    for (const std::string& s : said)
      CHECK_THAT(s, ContainsSubstring("trace of the context, which its runs call, runs it"));
    CHECK(run(context, graph) == expected);
  }
}

TEST_CASE("trace: what its function throws ends the run") {
  for (const int threads : {1, 2}) {
    bool throws = true;
    MLContext context({.threads = threads, .trace = [&](const TraceEvent&) {
                         if (throws) throw std::runtime_error("of the trace");
                       }});
    const MLGraph graph = graph_of(context);
    CHECK_THROWS_WITH(run(context, graph), ContainsSubstring("of the trace"));
    throws = false;
    CHECK(run(context, graph) == expected);
  }
}

TEST_CASE("a queued run that waits for what is queued behind it is refused") {
  MLContext context({.threads = 1});
  std::vector<std::string> said;
  MLTensor y;
  const MLGraph graph = graph_of(context, [&] { note(said, [&] { context.readTensor(y); }); });
  const MLTensor x = context.createTensor({float32, {4}, false, true});
  y = context.createTensor({float32, {4}, true, false});
  context.writeTensor(x, values);
  context.dispatch(graph, {{"x", x}}, {{"y", y}});
  std::array<float, 4> result{};
  context.readTensor(y, result);
  CHECK(result == expected);
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0], ContainsSubstring("waits for what comes later"));
}

TEST_CASE("log: what its function throws is ignored, and so is what a handler throws") {
  for (const bool handled : {false, true}) {
    int calls = 0;
    MLContextOptions options{.threads = 1, .backends = {"reference"}};
    options.accuracyLevel = AccuracyLevel::int8;  // which changes nothing: that is said
    options.log = [&](LogLevel, std::string_view) {
      ++calls;
      throw std::runtime_error("of the log");
    };
    if (handled)
      options.uncaughtException = [&](std::exception_ptr) {
        ++calls;
        throw 5;
      };
    MLContext context(options);
    CHECK(calls == 1);
    const MLGraph graph = graph_of(context);
    std::array<float, 4> y{};
    context.compute_async(graph, {{"x", values}}, {{"y", y}},
                          [](std::exception_ptr) { throw std::runtime_error("of the caller"); });
    context.compute_async(graph, {{"x", values}}, {{"y", y}}).get();
    CHECK(calls == 2);
    CHECK(y == expected);
  }
}

TEST_CASE("an allocator that comes back to its context is refused") {
  const auto allocator = std::make_shared<Calling>();
  MLContext context({.threads = 1, .allocator = allocator});
  const MLGraph other = graph_of(context);
  const auto packs = [&] {  // memory for weights is asked for while a lock is held
    MLGraphBuilder b(context);
    const MLOperand w = b.constant({float32, {4, 4}}, std::vector<float>(16, 1));
    b.build({{"y", b.matmul(b.input("x", {float32, {4, 4}}), w)}});
  };
  std::vector<std::string> said;
  allocator->act = [&] {
    const auto act = std::exchange(allocator->act, nullptr);
    note(said, packs);
    note(said, [&] { run(context, other); });
    allocator->act = act;
  };
  CHECK(run(context, graph_of(context)) == expected);
  packs();
  allocator->act = nullptr;
  REQUIRE(said.size() >= 2);
  for (std::size_t i = 0; i < said.size(); i += 2) {
    CHECK_THAT(said[i], ContainsSubstring("the allocator of the context calls it"));
    CHECK_THAT(said[i + 1], ContainsSubstring("allocator of the context, which its runs call"));
  }
  CHECK(run(context, other) == expected);
}

TEST_CASE("a run without memory, for whatever reason, leaves its place to the next one") {
  const auto allocator = std::make_shared<Calling>();
  MLContext context({.threads = 2, .runs = 2, .allocator = allocator});
  std::atomic<int> inside{0};
  std::atomic<bool> both{false}, waits{true};
  const MLGraph graph = graph_of(context, [&] {
    ++inside;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (waits && !(both = both || inside == 2) && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    --inside;
  });
  const auto started = [&] { return std::async(std::launch::async, [&] { run(context, graph); }); };
  auto first = started();
  while (inside == 0) std::this_thread::yield();
  allocator->act = [] { throw std::runtime_error("none today"); };
  CHECK_THROWS_WITH(run(context, graph), ContainsSubstring("none today"));
  waits = false;
  first.get();
  allocator->act = nullptr;
  waits = true;
  first = started();
  run(context, graph);
  first.get();
  CHECK(both);
}
