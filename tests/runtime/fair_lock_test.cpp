#include "src/runtime/fair_lock.h"

#include <thread>
#include <vector>

#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"

using namespace webnn;

TEST_CASE("a fair lock lets one thread in at a time") {
  FairLock lock;
  int inside = 0, wrong = 0, total = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        const std::lock_guard guard(lock);
        wrong += ++inside != 1;
        ++total;
        --inside;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  CHECK(total == 40000);
}

TEST_CASE("no caller of a busy graph starves") {
  const auto slow = test::own_backend([](Chain chain) {
    Kernel k = test::float_kernel(
        chain, [](float v) { return -v; }, 1);
    k.run = [run = k.run](Range r, const Buffers& b, std::byte* s) {
      run(r, b, s);
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
      while (std::chrono::steady_clock::now() < end) {}
    };
    return k;
  });
  MLContext context({.threads = 1, .backends = {slow}});
  MLGraphBuilder b(context);
  const MLGraph g = b.build({{"y", b.neg(b.input("x", {float32, {4}}))}});
  constexpr int threads = 32;
  std::array<int, threads> calls{};
  std::atomic<bool> stop = false;
  std::vector<std::thread> callers;
  for (std::size_t t = 0; t < threads; ++t)
    callers.emplace_back([&, t] {
      const std::array<float, 4> x{1, 2, 3, 4};
      std::array<float, 4> y{};
      while (!stop) {
        context.compute(g, {{"x", x}}, {{"y", y}});
        ++calls[t];
      }
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  stop = true;
  for (std::thread& t : callers) t.join();
  int sum = 0;
  for (const int n : calls) sum += n;
  for (const int n : calls) CHECK(n > sum / threads / 5);
}
