// MLContextOptions::log and ::trace.
#include <algorithm>
#include <chrono>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_file.h"
#include "webnn/tracing.h"

using namespace webnn;

namespace {

struct Log {
  std::mutex mutex{};
  std::vector<std::pair<LogLevel, std::string>> said{};

  auto function() {
    return [this](LogLevel level, std::string_view message) {
      const std::lock_guard lock(mutex);
      said.emplace_back(level, message);
    };
  }
  bool has(LogLevel level, std::string_view words) const {
    return std::ranges::any_of(said, [&](const auto& entry) {
      return entry.first == level && entry.second.find(words) != std::string::npos;
    });
  }
};

TEST_CASE("log: an ordinary context that builds and runs says nothing") {
  Log log;
  MLContext context({.threads = 1, .backends = {"reference"}, .log = log.function()});
  MLGraphBuilder b(context);
  const MLGraph graph = b.build({{"y", b.neg(b.input("x", {float32, {2}}))}});
  std::array<float, 2> y{};
  context.compute(graph, {{"x", std::array{1.f, 2.f}}}, {{"y", y}});
  CHECK(log.said.empty());
}

TEST_CASE("log: a level that no backend knows") {
  for (const AccuracyLevel level : {AccuracyLevel::float32, AccuracyLevel::int8}) {
    Log log;
    const MLContext context(
        {.threads = 1, .backends = {"reference"}, .accuracyLevel = level, .log = log.function()});
    CHECK(log.has(LogLevel::info, "the accuracy level int8 changes nothing on this machine") ==
          (level == AccuracyLevel::int8));
  }
}

TEST_CASE("log: a tuning file of another machine") {
  const test::TemporaryFile file(
      "webnn tuning 1\n"
      "machine 0.0.1, another one, 64 threads\n"
      "chain relu(input=%0 float32 [1]) -> %1 float32 [1]\n"
      "\t10\tsimd\t1\tkernel\n"
      "end\n");
  Log log;
  const MLContext context({.threads = 1, .tuningFile = file.path, .log = log.function()});
  CHECK(log.has(LogLevel::warning, "has no measurements of this machine"));
}

TEST_CASE("log: what callbacks throw, where no other handler is there") {
  Log log;
  int uncaught = 0;
  for (const bool handled : {false, true}) {
    MLContextOptions options{.threads = 1, .backends = {"reference"}, .log = log.function()};
    if (handled) options.uncaughtException = [&](std::exception_ptr) { ++uncaught; };
    MLContext context(options);
    MLGraphBuilder b(context);
    const MLGraph graph = b.build({{"y", b.neg(b.input("x", {float32, {2}}))}});
    const std::array<float, 2> x{1, 2};
    std::array<float, 2> y{};
    context.compute_async(graph, {{"x", x}}, {{"y", y}},
                          [](std::exception_ptr) { throw std::runtime_error("of the caller"); });
    context.compute_async(graph, {{"x", x}}, {{"y", y}}).get();
  }
  CHECK(uncaught == 1);
  REQUIRE(log.said.size() == 1);
  CHECK(log.said[0].first == LogLevel::error);
  CHECK(log.said[0].second == "a callback threw an exception: of the caller");
}

TEST_CASE("log: fewer runs than could be under way") {
  Log log;
  MLContext context({.threads = 2,
                     .backends = {"reference"},
                     .runs = 2,
                     .memoryLimit = 3 << 20,
                     .log = log.function()});
  MLGraphBuilder b(context);
  const MLGraph graph =
      b.build({{"y", b.neg(b.transpose(b.neg(b.input("x", {float32, {500, 1000}}))))}});
  const std::vector<float> x(500'000);
  std::vector<std::vector<float>> y(4, std::vector<float>(x.size()));
  std::vector<std::jthread> callers;
  for (auto& out : y)
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) context.compute(graph, {{"x", x}}, {{"y", out}});
    });
  callers.clear();
  CHECK(!log.said.empty());
  for (const auto& [level, message] : log.said) {
    CHECK(level == LogLevel::info);
    CHECK(message.find("fewer runs can be computed at the same time: ") == 0);
  }
}

struct Event {
  std::string kernel, operators, label;
  TraceEvent numbers;
};

struct Events {
  std::mutex mutex{};
  std::vector<Event> all{};

  auto function() {
    return [this](const TraceEvent& e) {
      const std::lock_guard lock(mutex);
      all.push_back({std::string(e.kernel), std::string(e.operators), std::string(e.label), e});
    };
  }
};

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

TEST_CASE("trace: each step of a run, all of its tiles, with names and times") {
  for (const int threads : {1, 2}) {
    Events events;
    MLContext context({.threads = threads, .trace = events.function()});
    MLGraphBuilder b(context);
    const MLOperand x = b.input("x", {float32, {1, 64, 64, 16}});
    const MLOperand w =
        b.constant({float32, {16, 3, 3, 16}}, std::vector<float>(16 * 9 * 16, 0.5f));
    const MLOperand conv = b.conv2d(x, w,
                                    {.padding = {1, 1, 1, 1},
                                     .inputLayout = MLInputOperandLayout::nhwc,
                                     .filterLayout = MLConv2dFilterOperandLayout::ohwi,
                                     .label = "stem"});
    const MLGraph graph = b.build({{"y", b.softmax(b.reshape(conv, {4096, 16}), 1)}});
    CHECK(events.all.empty());
    const std::vector<float> in(64 * 64 * 16, 1.f);
    std::vector<float> out(in.size());
    const std::int64_t before = now();
    context.compute(graph, {{"x", in}}, {{"y", out}});
    const std::int64_t after = now();
    const GraphReport report = graph.report();
    std::vector<int> tiles(report.steps.size());
    std::vector<std::uint64_t> bytes(report.steps.size());
    std::set<int> workers;
    for (const Event& e : events.all) {
      const TraceEvent& n = e.numbers;
      REQUIRE(n.step < report.steps.size());
      const StepReport& step = report.steps[n.step];
      CHECK(e.kernel == step.backend + ' ' + step.kernel);
      CHECK(e.operators.find(step.operators.front().name()) == 0);
      CHECK(e.label == step.operators.front().label());
      CHECK(n.tiles >= 1);
      CHECK(n.tiles_of_step >= step.tiles);
      CHECK((n.worker >= 0 && n.worker < threads));
      CHECK(n.start >= before);
      CHECK(n.duration >= 0);
      CHECK(n.start + n.duration <= after);
      tiles[n.step] += n.tiles;
      bytes[n.step] += n.bytes;
      workers.insert(n.worker);
    }
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      CHECK(tiles[i] == report.steps[i].tiles);
      CHECK(bytes[i] >= 64 * 64 * 16 * 4);
    }
    CHECK(std::ranges::any_of(events.all, [](const Event& e) { return e.label == "stem"; }));
    CHECK(workers.contains(0));
    const std::size_t once = events.all.size();
    context.compute(graph, {{"x", in}}, {{"y", out}});
    CHECK(events.all.size() >= once + report.steps.size());
  }
}

TEST_CASE("trace: runs with the same numbers as without") {
  const std::vector<float> x = [] {
    std::vector<float> v(1000);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i) / 100 - 5;
    return v;
  }();
  const auto result = [&](MLContextOptions options) {
    MLContext context(std::move(options));
    MLGraphBuilder b(context);
    const MLGraph graph =
        b.build({{"y", b.softmax(b.tanh(b.input("x", {float32, {10, 100}})), 1)}});
    std::vector<float> y(x.size());
    context.compute(graph, {{"x", x}}, {{"y", y}});
    return y;
  };
  CHECK(result({.threads = 2}) == result({.threads = 2, .trace = [](const TraceEvent&) {}}));
}

}  // namespace
