// Calls and builds that are stopped, by a token or with their context.
#include <chrono>
#include <thread>

#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using test::thrown;

namespace {

using Clock = std::chrono::steady_clock;
const std::array<float, 4> x{1, 2, 3, 4};
std::array<float, 4> y{};

/// neg, which calls f before it runs.
std::shared_ptr<test::OwnBackend> watched(std::function<void()> f) {
  return test::own_backend([f](Chain chain) -> Lowering {
    if (chain.size() > 1) return Refusal{"one operator"};
    Candidate k = test::float_kernel(
        chain, [](float v) { return -v; }, 1);
    k.run = [run = k.run, f](Range r, const Buffers& b, std::byte* s) {
      f();
      run(r, b, s);
    };
    return k;
  });
}

MLGraph negations(MLContext& context, int count) {
  MLGraphBuilder b(context);
  MLOperand v = b.input("x", {float32, {4}});
  for (int i = 0; i < count; ++i) v = b.neg(b.tanh(v));
  return b.build({{"y", v}});
}

double seconds_since(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

}  // namespace

TEST_CASE("a token stops a computation before the next step") {
  for (const int threads : {1, 3}) {
    std::stop_source source;
    std::atomic<int> steps{0};
    MLContext context({.threads = threads, .backends = {watched([&] {
                                             if (++steps == 3) source.request_stop();
                                           })}});
    const MLGraph g = negations(context, 5);
    CHECK(thrown([&] {
            context.compute(g, {{"x", x}}, {{"y", y}}, source.get_token());
          }) == "AbortError compute: it was canceled.");
    CHECK(steps == 3);
    CHECK(thrown([&] {
            context.compute(g, {{"x", x}}, {{"y", y}}, source.get_token());
          }).starts_with("AbortError"));
    CHECK(steps == 3);
    context.compute(g, {{"x", x}}, {{"y", y}});
    CHECK(steps == 13);
    auto stopped = context.compute_async(g, {{"x", x}}, {{"y", y}}, source.get_token());
    CHECK(thrown([&] { stopped.get(); }) == "AbortError compute_async: it was canceled.");
    context.compute_async(g, {{"x", x}}, {{"y", y}}).get();
    CHECK(steps == 23);
  }
}

TEST_CASE("a dispatch that was stopped fails where its result is read") {
  std::stop_source source;
  MLContext context({.threads = 1, .backends = {watched([] {})}});
  const MLGraph g = negations(context, 2);
  const MLTensor a = context.createTensor({.shape = {4}, .writable = true});
  const MLTensor r = context.createTensor({.shape = {4}, .readable = true});
  source.request_stop();
  context.dispatch(g, {{"x", a}}, {{"y", r}}, source.get_token());
  CHECK(thrown([&] { context.readTensor(r, y); }) == "AbortError dispatch: it was canceled.");
  context.dispatch(g, {{"x", a}}, {{"y", r}});
  context.readTensor(r, y);
}

TEST_CASE("destroying a context ends queued work within a step") {
  const auto slow = watched([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  std::vector<std::future<void>> results;
  std::future<MLGraph> build;
  const auto start = Clock::now();
  {
    MLContext context({.threads = 2, .backends = {slow}});
    const MLGraph g = negations(context, 10);
    const MLTensor a = context.createTensor({.shape = {4}, .writable = true});
    const MLTensor r = context.createTensor({.shape = {4}, .readable = true});
    static std::array<std::array<float, 4>, 50> outputs;
    for (auto& to : outputs) {
      context.dispatch(g, {{"x", a}}, {{"y", r}});
      results.push_back(context.compute_async(g, {{"x", x}}, {{"y", to}}));
    }
    MLGraphBuilder b(context);
    build = b.build_async({{"y", b.neg(b.input("x", {float32, {4}}))}});
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    context.destroy();
  }
  CHECK(seconds_since(start) < 1);  // it would take 20
  for (auto& f : results)
    CHECK(thrown([&] { f.get(); }) == "InvalidStateError compute_async: the context is destroyed.");
  CHECK(thrown([&] { build.get(); }) == "InvalidStateError build: the context is lost.");
}

TEST_CASE("destroying a context stops a computation of another thread") {
  test::Gate gate;
  std::atomic<int> steps{0};
  MLContext context({.threads = 1, .backends = {watched([&] {
                                     ++steps;
                                     gate.pass();
                                   })}});
  const MLGraph g = negations(context, 3);
  std::string result;
  std::thread caller([&] { result = thrown([&] { context.compute(g, {{"x", x}}, {{"y", y}}); }); });
  gate.await_visitor();
  context.destroy();
  gate.open();
  caller.join();
  CHECK(result == "InvalidStateError compute: the context is destroyed.");
  CHECK(steps == 1);
}

TEST_CASE("a build reports its progress and can be stopped") {
  MLContext context({.threads = 1, .backends = {"reference"}});
  const auto builder = [&](MLGraphBuilder& b) {
    MLOperand v = b.input("x", {float32, {4}});
    for (int i = 0; i < 20; ++i) v = b.sin(v);
    return NamedOperands{{"y", v}};
  };
  std::vector<std::string> stages;
  std::size_t last = 0;
  MLGraphBuilder b(context);
  b.build(builder(b), {.progress = [&](const BuildProgress& p) {
            if (stages.empty() || stages.back() != p.stage) stages.emplace_back(p.stage), last = 0;
            CHECK(p.done > last);
            CHECK(p.done <= p.total);
            last = p.done;
          }});
  CHECK(stages == std::vector<std::string>{"passes", "kernels"});
  CHECK(last == 20);

  std::stop_source source;
  const BuildOptions stopping{.progress =
                                  [&](const BuildProgress& p) {
                                    if (p.stage == "kernels" && p.done == 5) source.request_stop();
                                    CHECK((p.stage == "passes" || p.done <= 5));
                                  },
                              .stop = source.get_token()};
  MLGraphBuilder c(context);
  CHECK(thrown([&] { c.build(builder(c), stopping); }) == "AbortError build: it was canceled.");
  MLGraphBuilder d(context);
  auto future = d.build_async(builder(d), {.stop = source.get_token()});
  CHECK(thrown([&] { future.get(); }) == "AbortError build: it was canceled.");
  MLGraphBuilder e(context);
  CHECK(thrown([&] {
          e.build(builder(e),
                  {.progress = [](const BuildProgress&) { throw std::runtime_error("no more"); }});
        }) == "std::exception no more");
}

TEST_CASE("a build inside the progress of a build of its context is refused") {
  MLContext context({.threads = 1}), other({.threads = 1});
  const auto build_in = [](MLContext& c, const BuildOptions& options) {
    MLGraphBuilder b(c);
    b.build({{"y", b.neg(b.input("x", {float32, {4}}))}}, options);
  };
  const BuildOptions nested{.progress = [&](const BuildProgress&) { build_in(context, {}); }};
  const BuildOptions by_another{.progress = [&](const BuildProgress&) {
    build_in(other, {});
    build_in(other, nested);
  }};
  for (const BuildOptions* options : {&nested, &by_another})
    CHECK(thrown([&] { build_in(context, *options); }) ==
          "InvalidStateError build: the progress of a build of the same context calls it.");
  build_in(context, {});
}

namespace {

/// What a thread does while others stop it and destroy what it uses.
class Visitor {
 public:
  Visitor(MLContext& context, const MLGraph& graph)
      : context_(context),
        graph_(graph),
        in_(context.createTensor({.shape = {4}, .writable = true})),
        out_(context.createTensor({.shape = {4}, .readable = true})) {}

  void visit(int kind, std::stop_token stop) {
    std::array<float, 4> to{};
    switch (kind % 5) {
      case 0: return context_.compute(graph_, {{"x", x}}, {{"y", to}}, stop);
      case 1: return context_.compute_async(graph_, {{"x", x}}, {{"y", to}}, stop).get();
      case 2:
        context_.writeTensor(in_, x);
        context_.dispatch(graph_, {{"x", in_}}, {{"y", out_}}, stop);
        return context_.readTensor(out_, to);
      default: {
        MLGraphBuilder b(context_);
        const NamedOperands result{{"y", b.relu(b.sin(b.input("x", {float32, {4}})))}};
        MLGraph built = kind % 5 == 3 ? b.build(result, {.stop = stop})
                                      : b.build_async(result, {.stop = stop}).get();
        context_.compute(built, {{"x", x}}, {{"y", to}}, stop);
        return built.destroy();
      }
    }
  }

 private:
  MLContext& context_;
  const MLGraph& graph_;
  MLTensor in_, out_;
};

}  // namespace

TEST_CASE("callers, dispatches, builds, cancellations and destroy at any point") {
  constexpr int threads = 6, calls = 200;
  for (int round = 0; round < 9; ++round) {
    MLContext context({.threads = 2, .runs = 3});
    MLGraph g = negations(context, 30);
    std::atomic<int> good{0}, ended{0}, other{0};
    std::vector<Visitor> visitors;
    for (int t = 0; t < threads; ++t) visitors.emplace_back(context, g);
    std::vector<std::thread> callers;
    for (int t = 0; t < threads; ++t)
      callers.emplace_back([&, t] {
        for (int i = 0; i < calls; ++i) {
          std::stop_source source;
          std::thread stopper;
          if (i % 20 == t) stopper = std::thread([&] { source.request_stop(); });
          try {
            visitors[static_cast<std::size_t>(t)].visit(i + t, source.get_token());
            ++good;
          } catch (const AbortError&) { ++ended; } catch (const InvalidStateError&) {
            ++ended;
          } catch (const TypeError& e) {
            ++(e.reason().find("destroyed") == std::string::npos ? other : ended);
          } catch (...) { ++other; }
          if (stopper.joinable()) stopper.join();
        }
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * round));
    if (round % 3 == 1) g.destroy();
    if (round % 3 == 2) context.destroy();
    for (std::thread& t : callers) t.join();
    CHECK(other == 0);
    CHECK(good + ended == threads * calls);
    if (round % 3 == 0) CHECK(good >= threads * calls * 9 / 10);
  }
}
