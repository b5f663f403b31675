// Threads that cannot be started, and processes that fork.
#include "tests/faults/few_threads.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"

#ifdef WEBNN_TEST_FEW_THREADS
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

using namespace webnn;
using webnn::test::FewThreads;

namespace {

/// The exit code of a child that runs f, or a text that says how it ended.
template <class F> std::string in_child(F&& f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::_Exit(f());
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return "exit " + std::to_string(WEXITSTATUS(status));
  return WTERMSIG(status) == SIGALRM ? "hung" : "signal " + std::to_string(WTERMSIG(status));
}

}  // namespace

TEST_CASE("a context whose threads cannot be started has fewer") {
  const std::vector<float> x(100000, -2.f);
  std::vector<float> y(x.size());
  for (int n = 0; n < 5; ++n) {
    CAPTURE(n);
    const FewThreads few(n);
    MLContext context({.threads = 4});
    const int threads = std::min(4, n + 1);
    CHECK(context.threads() == threads);
    MLGraphBuilder b(context);
    const MLOperand in = b.input("x", {float32, {100000}});
    const MLGraph g = b.build({{"y", b.neg(b.sin(b.neg(in)))}});
    context.compute(g, {{"x", x}}, {{"y", y}});
    CHECK(
        std::all_of(y.begin(), y.end(), [](float v) { return std::abs(v + 0.9092974f) < 1e-6f; }));
    CHECK(g.report().threads == threads);
    CHECK(g.report().threads_asked == 4);
    const std::string text = g.explain();
    INFO(text);
    CHECK((text.find("(the system started no more)") != std::string::npos) == (threads < 4));
    CHECK((text.find(" of 4 threads") != std::string::npos) == (threads < 4));
  }
}

TEST_CASE("contexts that share what threads the system starts") {
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  std::atomic<bool> go{false};
  for (int i = 0; i < 20; ++i)
    callers.emplace_back([&] {
      go.wait(false);
      const MLContext context({.threads = 8});
      right += context.threads() >= 1 && context.threads() <= 8;
    });
  {
    const FewThreads few(30);
    go = true;
    go.notify_all();
    for (std::thread& t : callers) t.join();
  }
  CHECK(right == 20);
}

namespace {

struct Negation {
  MLContext context{{.threads = 1, .backends = {"reference"}}};
  MLGraph graph = [this] {
    MLGraphBuilder b(context);
    return b.build({{"y", b.neg(b.input("x", {float32, {2}}))}});
  }();
  std::array<float, 2> x{1, 2}, y{};
};

}  // namespace

TEST_CASE("without a thread for the timeline, calls that do not wait run before they return") {
  Negation n;
  const MLTensor a = n.context.createTensor({.shape = {2}, .readable = true, .writable = true});
  const MLTensor b = n.context.createTensor({.shape = {2}, .readable = true, .writable = true});
  {
    const FewThreads few(0);
    n.context.compute_async(n.graph, {{"x", n.x}}, {{"y", n.y}}).get();
    CHECK(n.y[1] == -2);
    std::thread::id caller{};
    n.context.compute_async(n.graph, {{"x", n.x}}, {{"y", n.y}}, [&](std::exception_ptr e) {
      CHECK(!e);
      caller = std::this_thread::get_id();
    });
    CHECK(caller == std::this_thread::get_id());
    n.context.writeTensor(a, n.x);
    n.context.dispatch(n.graph, {{"x", a}}, {{"y", b}});
    n.context.dispatch(n.graph, {{"x", b}}, {{"y", a}});
    n.y = {};
    n.context.readTensor(a, n.y);
    CHECK(n.y[1] == 2);
    const Constant read = n.context.readTensor_async(b).get();
    CHECK(reinterpret_cast<const float*>(read.bytes().data())[1] == -2);
    CHECK(n.context.profile_async(n.graph, 2).get().size() == 1);
    MLGraphBuilder builder(n.context);
    const MLGraph built =
        builder.build_async({{"y", builder.relu(builder.input("x", {float32, {2}}))}}).get();
    n.context.compute(built, {{"x", n.x}}, {{"y", n.y}});
    CHECK(n.y[1] == 2);
  }
  n.y = {};
  n.context.compute_async(n.graph, {{"x", n.x}}, {{"y", n.y}}).get();
  CHECK(n.y[1] == -2);
}

TEST_CASE("without a thread for the timeline, callbacks queue work that is run behind them") {
  Negation n;
  const FewThreads few(0);
  int left = 100000, depth = 0, deepest = 0;
  const std::function<void(std::exception_ptr)> next = [&](std::exception_ptr e) {
    CHECK(!e);
    deepest = std::max(deepest, ++depth);
    if (left-- > 0) n.context.compute_async(n.graph, {{"x", n.x}}, {{"y", n.y}}, next);
    --depth;
  };
  n.context.compute_async(n.graph, {{"x", n.x}}, {{"y", n.y}}, next);
  CHECK(left == -1);  // all of them, when the first call returns
  CHECK(deepest == 1);

  // A build's progress may queue work too; a callback may wait for a tensor.
  const MLTensor a = n.context.createTensor({.shape = {2}, .readable = true, .writable = true});
  const MLTensor b = n.context.createTensor({.shape = {2}, .readable = true, .writable = true});
  int reports = 0, done = 0;
  MLGraphBuilder builder(n.context);
  builder.build_async({{"y", builder.relu(builder.input("x", {float32, {2}}))}},
                      [&](std::exception_ptr e, const MLGraph& g) {
                        CHECK((!e && g));
                        n.context.writeTensor(a, n.x);
                        n.context.dispatch(n.graph, {{"x", a}}, {{"y", b}});
                        n.context.readTensor(b, n.y);
                        CHECK(n.y[0] == -1);
                        ++done;
                      },
                      {.progress = [&](const BuildProgress&) {
                        ++reports;
                        n.context.dispatch(n.graph, {{"x", a}}, {{"y", b}});
                      }});
  CHECK(reports > 0);
  CHECK(done == 1);
}

TEST_CASE("without a thread for the timeline, several callers and a dropped context") {
  auto n = std::make_unique<Negation>();
  std::vector<std::thread> callers;
  std::atomic<bool> go{false};
  std::atomic<int> done{0};
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&, context = n->context, graph = n->graph]() mutable {
      std::array<float, 2> y{};
      go.wait(false);
      for (int k = 0; k < 500; ++k) {
        std::atomic<int> mine{0};
        context.compute_async(graph, {{"x", n->x}}, {{"y", y}},
                              [&](std::exception_ptr) { ++done, ++mine; });
        if (mine != 1 || y[1] != -2) done = -100000;
      }
    });
  const FewThreads few(0);
  go = true;
  go.notify_all();
  for (std::thread& t : callers) t.join();
  CHECK(done == 2000);

  // The callback has the last handles.
  const std::array<float, 2> x{1, 2};
  std::array<float, 2> y{};
  MLContext& context = n->context;
  const MLGraph graph = n->graph;
  context.compute_async(graph, {{"x", x}}, {{"y", y}}, [&](std::exception_ptr) { n.reset(); });
  CHECK(!n);
  CHECK(y[1] == -2);
}

TEST_CASE("a child process after fork") {
  auto context = std::make_unique<MLContext>(MLContextOptions{.threads = 3});
  MLGraphBuilder b(*context);
  const MLGraph g = b.build({{"y", b.relu(b.input("x", {float32, {1000}}))}});
  const std::vector<float> x(1000, 1.f);
  std::vector<float> y(1000);
  const MLTensor t = context->createTensor({.shape = {1000}, .readable = true, .writable = true});
  context->compute_async(g, {{"x", x}}, {{"y", y}}).get();
  CHECK(in_child([&] {
          context->compute(g, {{"x", x}}, {{"y", y}});  // on the calling thread
          return y[0] == 1 ? 7 : 1;
        }) == "exit 7");
  CHECK(in_child([&] {
          int refused = 0;
          const auto refuses = [&](auto&& f) {
            try {
              f();
            } catch (const InvalidStateError& e) {
              refused += e.reason().find("fork()") != std::string::npos;
            }
          };
          refuses([&] { context->compute_async(g, {{"x", x}}, {{"y", y}}).get(); });
          refuses([&] { context->writeTensor(t, x); });
          refuses([&] { context->readTensor(t, y); });
          refuses([&] { context->readTensor_async(t, [](auto&&...) {}); });
          return refused;
        }) == "exit 4");
  CHECK(in_child([&] {
          MLContext fresh({.threads = 2});
          MLGraphBuilder own(fresh);
          const MLGraph h = own.build({{"y", own.neg(own.input("x", {float32, {1000}}))}});
          fresh.compute_async(h, {{"x", x}}, {{"y", y}}).get();
          return y[0] == -1 ? 7 : 1;
        }) == "exit 7");
  CHECK(in_child([&] {
          context->destroy();
          context.reset();  // joins no thread of the parent
          return 7;
        }) == "exit 7");
}
#endif
