// The threads of a context. A dispatch opens the team once and waits only for workers that have
// begun to work on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "webnn/thread_pool.h"

namespace webnn {

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
  explicit Team(int threads);
  ~Team() override;
  Team(const Team&) = delete;

  int threads() const override { return threads_; }
  /// A team serves one region at a time: a caller that comes while it is busy works alone, as
  /// worker 0. So does every caller in a child process after fork(), where the other threads are
  /// missing.
  void run(void (*body)(void*, int), void* argument) override;

 private:
  void serve(int worker);
  void leave_caller();
  void end();

  const int threads_;
  const bool a_core_each_;
  void (*body_)(void*, int) = nullptr;
  void* argument_ = nullptr;
  std::atomic<bool> busy_{false};
  alignas(64) std::atomic<std::uint32_t> generation_{0};
  alignas(64) std::atomic<bool> open_{false};
  alignas(64) std::atomic<int> inside_{0};
  alignas(64) std::atomic<int> caller_core_{-1};
  std::atomic<bool> stop_{false};
  const std::uint32_t process_;
  std::unique_ptr<std::vector<std::thread>> workers_;
};

inline constexpr int max_threads = 1024;

/// The number of threads asked for by the caller, else by WEBNN_NUM_THREADS, else all cores.
int thread_count(int asked);

}  // namespace webnn
