// The threads of a context. A run opens a region and waits only for workers that have begun to
// work in it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "webnn/thread_pool.h"

namespace webnn::inline v0_1 {

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins while that is cheap, then sleeps: the thread that is awaited may need this core.
template <class T, class Done>
void await(const std::atomic<T>& value, Done done, int spins = 4000) {
  for (T v; !done(v = value.load());)
    if (spins > 0) --spins, relax();
    else value.wait(v);
}

class Team final : public ThreadPool {
 public:
  /// Has fewer threads, the caller's at least, when the system does not start them all.
  explicit Team(int threads);
  ~Team() override;
  Team(const Team&) = delete;

  int threads() const override { return threads_.load(std::memory_order_relaxed); }
  /// Several callers have regions at the same time; workers go where the fewest are, and callers
  /// and workers together are no more than the threads: with as many callers as threads each works
  /// alone, as worker 0. So does every caller in a child process after fork(), where the other
  /// threads are missing.
  void run(void (*body)(void*, int), void* argument) override;
  bool should_leave(int worker) const override;

  /// A thread that works without run(), but counts as one of its callers.
  class Caller {
   public:
    explicit Caller(Team& team) : team_(team) { team_.callers_.fetch_add(1); }
    Caller(const Caller&) = delete;
    ~Caller() { team_.end_caller(); }

   private:
    Team& team_;
  };

 private:
  struct alignas(64) Region {
    std::atomic<bool> taken{false};  // by a caller, whose are the next two
    void (*body)(void*, int) = nullptr;
    void* argument = nullptr;
    std::atomic<int> core{-1};  // where the caller runs
    alignas(64) std::atomic<bool> open{false};
    alignas(64) std::atomic<int> inside{0};  // workers
  };
  static constexpr int max_regions = 16;

  void serve(int worker);
  /// Whether there is a thread for this worker beside the callers.
  bool is_needed(int worker) const { return worker <= threads() - callers_.load(); }
  Region* take_region();
  Region* emptiest_region();
  bool work_in(Region& region, int worker);
  void call_workers();
  void end_caller();
  void end();

  std::atomic<int> threads_;  // while threads start, how many there are to be
  const bool a_core_each_;
  std::array<Region, max_regions> regions_{};
  std::unique_ptr<std::atomic<Region*>[]> region_of_;  // by worker; null while it is in none
  alignas(64) std::atomic<int> callers_{0};
  alignas(64) std::atomic<int> open_{0};  // regions
  alignas(64) std::atomic<std::uint32_t> generation_{0};
  std::atomic<bool> stop_{false};
  const std::uint32_t process_;
  std::unique_ptr<std::vector<std::thread>> workers_;
};

inline constexpr int max_threads = 1024;

/// The number of threads asked for by the caller, else by WEBNN_NUM_THREADS, else as many as the
/// cores that the process may use (usable_cores()).
int thread_count(int asked);

}  // namespace webnn::inline v0_1
