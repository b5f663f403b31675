// Ends a test that hangs, with a message, instead of a whole run that waits.
#pragma once

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace webnn::inline v0_1::test {

/// Aborts the process when it lives longer than that.
class Watchdog {
 public:
  explicit Watchdog(const char* what, int seconds = 60)
      : thread_([this, what, seconds] {
          std::unique_lock lock(mutex_);
          if (over_.wait_for(lock, std::chrono::seconds(seconds), [this] { return done_; })) return;
          std::fprintf(stderr, "%s: not finished after %d s\n", what, seconds);
          std::abort();
        }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    over_.notify_one();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;

 private:
  std::mutex mutex_{};
  std::condition_variable over_{};
  bool done_ = false;
  std::thread thread_;
};

}  // namespace webnn::inline v0_1::test
