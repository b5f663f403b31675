#include "src/runtime/fair_slots.h"

#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <array>
#include <fstream>
#include <mutex>
#include <string>
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

#ifdef __linux__

namespace {

void until(const auto& condition) {
  while (!condition()) std::this_thread::yield();
}

/// The first two cores that this thread may run on, or fewer.
std::vector<int> two_cores() {
  cpu_set_t allowed;
  std::vector<int> found;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    for (int c = 0; c < CPU_SETSIZE && found.size() < 2; ++c)
      if (CPU_ISSET(c, &allowed)) found.push_back(c);
  return found;
}

void stay_on(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/// What the system says of a thread of this process: whether it sleeps, and how often it went to
/// sleep until now.
struct Sleeps {
  bool now = false;
  long count = -1;

  explicit Sleeps(long thread) {
    std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
    for (std::string name; status >> name; status.ignore(256, '\n')) {
      char state = 0;
      if (name == "State:") now = status >> state && state == 'S';
      if (name == "voluntary_ctxt_switches:") status >> count;
    }
  }
};

long this_thread() { return syscall(SYS_gettid); }

}  // namespace

TEST_CASE("a slot goes to a core without one rather than to the core of another slot") {
  const std::vector<int> cores = two_cores();
  if (cores.size() < 2) return;
  FairSlots slots(2);
  std::mutex order_mutex;
  std::vector<int> order;
  std::atomic<int> waiters{0}, got{0};
  std::atomic<bool> done{false};
  const auto waiter = [&](int core) {
    return std::thread([&, core] {
      stay_on(core);
      ++waiters;
      const int slot = slots.take();
      {
        const std::lock_guard lock(order_mutex);
        order.push_back(core);
      }
      ++got;
      until([&] { return done.load(); });
      slots.give(slot);
    });
  };
  const auto comes_to_wait = [&](int n) {
    until([&] { return waiters == n && slots.waiting(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  std::thread giver([&] {
    stay_on(cores[0]);
    const int first = slots.take(), second = slots.take();
    std::thread owner = waiter(cores[0]);
    comes_to_wait(1);
    slots.give(second);
    until([&] { return got == 1; });
    std::thread same = waiter(cores[0]);
    comes_to_wait(2);
    std::thread other = waiter(cores[1]);
    comes_to_wait(3);
    slots.give(first);
    until([&] { return got == 2; });
    done = true;
    for (std::thread* t : {&owner, &same, &other}) t->join();
  });
  giver.join();
  CHECK(order == std::vector{cores[0], cores[1], cores[0]});
}

TEST_CASE("for a slot that its owner takes again no thread of another core is woken") {
  const std::vector<int> cores = two_cores();
  if (cores.size() < 2 || Sleeps(this_thread()).count < 0) return;
  long in_vain = -1;
  bool over = true;  // the owner's turn, before it had taken its slot again; then once more
  for (int attempt = 0; attempt < 50 && over; ++attempt) {
    FairSlots slots(2);
    std::atomic<int> got{0};
    std::atomic<long> before{0};  // sleeps of the thread of the other core
    /// A thread that sleeps in take() when this returns, after those that were made earlier.
    const auto waiter = [&](int core, auto use) {
      std::atomic<long> thread{0};
      std::thread t([&slots, &thread, core, use] {
        stay_on(core);
        thread = this_thread();
        slots.give(use(slots.take()));
      });
      until([&] { return thread != 0 && slots.waiting() && Sleeps(thread).now; });
      if (core == cores[1]) before = Sleeps(thread).count;
      return t;
    };
    std::thread giver([&] {
      stay_on(cores[0]);
      const int given = slots.take(), kept = slots.take();
      std::thread waiters[] = {waiter(cores[1],
                                      [&](int slot) {
                                        in_vain = Sleeps(this_thread()).count - before;
                                        return slot;
                                      }),
                               waiter(cores[0],
                                      [&](int slot) {
                                        for (int i = 0; i < 5; ++i) {
                                          slots.give(slot);
                                          slot = slots.take();
                                        }
                                        over = got > 0;
                                        std::this_thread::sleep_for(std::chrono::milliseconds(3));
                                        return slot;
                                      }),
                               waiter(cores[0], [&](int slot) {
                                 ++got;
                                 return slot;
                               })};
      slots.give(given);
      for (std::thread& t : waiters) t.join();
      slots.give(kept);
    });
    giver.join();
  }
  if (!over) CHECK(in_vain == 0);
}

#endif

TEST_CASE("no caller of a busy graph starves") {
  const auto slow = test::own_backend([](Chain chain) {
    Candidate k = test::float_kernel(
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
