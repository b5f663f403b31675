// A lock whose waiters are served in the order in which they came, as far as that costs nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

namespace webnn {

/// For work of microseconds to seconds that many threads want to do, a number of them at a time.
/// While a slot is free, any thread may take it: a thread that is running does so at once, where
/// one that sleeps must first be woken. But when others have overtaken the first waiter for
/// `patience`, the next slot is handed to that waiter. So n waiters wait at most for n times the
/// longer of `patience` and one use.
class FairLock {
 public:
  explicit FairLock(int slots = 1) : free_(slots) {}
  FairLock(const FairLock&) = delete;

  void lock();
  void unlock();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds patience{500};

  /// On the stack of a thread that waits.
  struct Waiter {
    enum State : int { asleep, awake, owner };
    std::atomic<int> state{asleep};
    Waiter* next = nullptr;
  };
  /// The first waiter takes a slot.
  void take_first();
  void wake_first();

  std::mutex mutex_{};  // guards what follows
  int free_;
  Waiter *first_ = nullptr, *last_ = nullptr;
  Clock::time_point first_since_{};  // since when first_ is the first
};

}  // namespace webnn
