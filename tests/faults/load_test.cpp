// Many callers at once. The measurements print and are hidden: faults_tests "[load]".
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>

#include "tests/support/catch.h"
#include "webnn/webnn.h"

using namespace webnn;

namespace {

using Clock = std::chrono::steady_clock;

struct Load {
  std::vector<double> ms;              // how long each call took, sorted
  std::vector<std::size_t> by_thread;  // calls
  double seconds = 0;

  double at(double quantile) const {
    const auto last = static_cast<double>(ms.size() - 1);
    return ms[static_cast<std::size_t>(quantile * last)];
  }
};

/// Threads that call call(thread) until the time is over.
Load under_load(int threads, double seconds, const std::function<void(int)>& call) {
  std::vector<std::vector<double>> taken(static_cast<std::size_t>(threads));
  std::atomic<bool> go = false, stop = false;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      go.wait(false);
      for (auto before = Clock::now(); !stop;) {
        call(t);
        const auto now = Clock::now();
        taken[static_cast<std::size_t>(t)].push_back(
            std::chrono::duration<double, std::milli>(now - before).count());
        before = now;
      }
    });
  const auto start = Clock::now();
  go = true;
  go.notify_all();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (std::thread& t : running) t.join();
  Load load;
  load.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  for (const auto& one : taken) {
    load.by_thread.push_back(one.size());
    load.ms.insert(load.ms.end(), one.begin(), one.end());
  }
  std::sort(load.ms.begin(), load.ms.end());
  return load;
}

void print(const char* what, int threads, const Load& l) {
  std::printf(
      "%-24s %3d threads %9.0f calls/s   ms: p50 %.3f  p99 %.3f  p99.9 %.3f  longest %.3f\n", what,
      threads, static_cast<double>(l.ms.size()) / l.seconds, l.at(0.5), l.at(0.99), l.at(0.999),
      l.ms.back());
}

MLGraph products(MLContext& context, std::uint32_t size) {
  MLGraphBuilder b(context);
  const std::vector<float> w(std::size_t{size} * size, 0.01f);
  const MLOperand x = b.input("x", {float32, {size, size}});
  return b.build({{"y", b.relu(b.matmul(x, b.constant({float32, {size, size}}, w)))}});
}

}  // namespace

TEST_CASE("how long callers wait", "[.load]") {
  for (const std::uint32_t size : {16u, 128u, 512u}) {
    MLContext context({.threads = 2});
    const MLGraph g = products(context, size);
    const std::vector<float> x(std::size_t{size} * size, 1.f);
    for (const int threads : {1, 2, 64, 200}) {
      std::vector<std::vector<float>> y(static_cast<std::size_t>(threads), x);
      print(("compute " + std::to_string(size)).c_str(), threads,
            under_load(threads, 4, [&](int t) {
              context.compute(g, {{"x", x}}, {{"y", y[static_cast<std::size_t>(t)]}});
            }));
    }
  }
  MLContext context({.threads = 2});
  const MLGraph g = products(context, 16);
  const MLTensor x = context.createTensor({.shape = {16, 16}, .writable = true});
  for (const int threads : {1, 2, 64, 200}) {
    std::vector<MLTensor> y;
    for (int t = 0; t < threads; ++t)
      y.push_back(context.createTensor({.shape = {16, 16}, .readable = true}));
    print("dispatch", threads, under_load(threads, 2, [&](int t) {
            context.dispatch(g, {{"x", x}}, {{"y", y[static_cast<std::size_t>(t)]}});
          }));
    context.readTensor(y[0]);
    std::vector<std::vector<float>> v(static_cast<std::size_t>(threads), std::vector<float>(256));
    print("dispatch, readTensor", threads, under_load(threads, 4, [&](int t) {
            const auto i = static_cast<std::size_t>(t);
            context.dispatch(g, {{"x", x}}, {{"y", y[i]}});
            context.readTensor(y[i], v[i]);
          }));
  }
}
