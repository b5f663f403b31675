#include "src/runtime/fair_slots.h"

#include <array>
#include <thread>
#include <vector>

#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"

using namespace webnn;

TEST_CASE("of so many slots each has one owner") {
  for (const int count : {1, 3}) {
    FairSlots slots(count);
    std::array<int, 3> inside{};
    std::atomic<int> total{0}, wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 5000; ++i) {
          const int slot = slots.take();
          wrong += slot < 0 || slot >= count || ++inside[static_cast<std::size_t>(slot)] != 1;
          ++total;
          --inside[static_cast<std::size_t>(slot)];
          slots.give(slot);
        }
      });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    CHECK(total == 40000);
  }
}

TEST_CASE("a slot that was used is preferred to another one") {
  FairSlots slots(3);
  CHECK(slots.take() == 0);
  slots.give(0);
  CHECK(slots.take() == 0);
  CHECK(slots.take() == 1);
  slots.give(0);
  CHECK(slots.take() == 0);
  CHECK(slots.take() == 2);
}

TEST_CASE("a slot is not left to threads that sleep elsewhere") {
  FairSlots slots(1);
  std::atomic<int> total{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const int slot = slots.take();
        std::this_thread::yield();  // others come and wait
        slots.give(slot);
        ++total;
        if (i % 10 == 9) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(total == 200);
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
