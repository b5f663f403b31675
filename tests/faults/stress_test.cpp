// Everything asynchronous at once: callers, dispatches, reads, builds, cancellations, destroy()
// at any point.
#include <atomic>
#include <future>
#include <random>
#include <thread>

#include "tests/faults/watchdog.h"
#include "tests/support/catch.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

MLGraph network(MLContext& context, float factor) {
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {64}});
  return b.build({{"y", b.mul(x, b.constant(float32, factor))}});
}

/// One thread's part: whatever the others do, what it reads of its own tensors is right.
void work(MLContext context, MLGraph& shared, int seed, std::atomic<int>& wrong) {
  std::mt19937 random(static_cast<std::uint32_t>(seed));
  const auto tensor = [&] {
    return context.createTensor({.shape = {64}, .readable = true, .writable = true});
  };
  MLTensor x = tensor(), y = tensor();
  std::vector<float> in(64), out(64);
  for (int i = 0; i < 60; ++i) {
    std::fill(in.begin(), in.end(), static_cast<float>(random() % 1000));
    switch (random() % 7) {
      case 0:
        context.compute(shared, {{"x", in}}, {{"y", out}});
        wrong += out[63] != 2 * in[0];
        break;
      case 1:
        context.compute_async(shared, {{"x", in}}, {{"y", out}}).get();
        wrong += out[63] != 2 * in[0];
        break;
      case 2:
        context.writeTensor(x, in);
        context.dispatch(shared, {{"x", x}}, {{"y", y}});
        context.readTensor(y, out);
        wrong += out[63] != 2 * in[0];
        break;
      case 3: {
        std::promise<float> read;
        context.writeTensor(x, in);
        context.readTensor_async(x, [&](std::exception_ptr e, std::optional<Constant> values) {
          const auto* v = values ? reinterpret_cast<const float*>(values->bytes().data()) : nullptr;
          read.set_value(e || !v ? -1 : v[63]);
        });
        context.writeTensor(x, std::vector<float>(64, -5.f));
        wrong += read.get_future().get() != in[63];
        break;
      }
      case 4: {
        std::promise<MLGraph> built;
        MLGraphBuilder b(context);
        b.build_async({{"y", b.neg(b.input("x", {float32, {64}}))}},
                      [&](std::exception_ptr, MLGraph g) { built.set_value(std::move(g)); });
        const MLGraph g = built.get_future().get();
        context.dispatch(g, {{"x", x}}, {{"y", y}});
        MLGraph(g).destroy();  // what is queued completes
        break;
      }
      case 5:
        context.dispatch(shared, {{"x", x}}, {{"y", y}});
        x.destroy();
        y.destroy();
        x = tensor();
        y = tensor();
        break;
      case 6: {
        std::stop_source stop;
        std::thread canceler([&] { stop.request_stop(); });
        try {
          context.writeTensor(x, in);
          context.dispatch(shared, {{"x", x}}, {{"y", y}}, stop.get_token());
          context.compute(shared, {{"x", in}}, {{"y", out}}, stop.get_token());
          wrong += out[63] != 2 * in[0];
          context.readTensor(y, out);
          wrong += out[63] != 2 * in[0];
        } catch (const AbortError&) {}
        canceler.join();
        break;
      }
    }
  }
}

}  // namespace

TEST_CASE("everything asynchronous at once") {
  const test::Watchdog watchdog("stress", 240);
  MLContext context({.threads = 2, .backends = {"reference"}});
  MLGraph shared = network(context, 2);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) threads.emplace_back([&, t] { work(context, shared, t, wrong); });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("graphs, tensors and contexts are destroyed at any point") {
  const test::Watchdog watchdog("destroy", 240);
  for (int round = 0; round < 30; ++round) {
    MLContext context({.threads = 2, .backends = {"reference"}});
    MLGraph g = network(context, 3);
    MLTensor x = context.createTensor({.shape = {64}, .writable = true});
    MLTensor y = context.createTensor({.shape = {64}, .readable = true});
    std::atomic<int> unexpected = 0, called = 0, queued = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        std::vector<float> in(64, 1), out(64);
        try {
          for (int i = 0;; ++i) {
            if (t == 0) context.compute(g, {{"x", in}}, {{"y", out}});
            if (t == 1) context.dispatch(g, {{"x", x}}, {{"y", y}});
            if (t == 2) context.readTensor(y, out);
            if (t == 3) {
              context.readTensor_async(y, [&](auto&&...) { ++called; });
              ++queued;
            }
          }
        } catch (const InvalidStateError&) {
        } catch (const TypeError& e) {
          unexpected += e.reason().find("destroyed") == std::string::npos;
        } catch (...) { ++unexpected; }
      });
    std::this_thread::sleep_for(std::chrono::microseconds(100 * (round % 8)));
    if (round % 3 == 0) g.destroy();
    if (round % 3 != 2) y.destroy();
    context.destroy();
    for (std::thread& t : threads) t.join();
    CHECK(unexpected == 0);
    while (called < queued) std::this_thread::yield();
  }
}
