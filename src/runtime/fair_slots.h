// Slots for work of microseconds to seconds that many threads want to do, a number of them at a
// time. No thread starves, and as few as possible are woken.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

namespace webnn::inline v0_1 {

/// While a slot is free, any thread may take it: a thread that is running does so at once, where
/// one that sleeps must first be woken. But a slot that others have used for `turn` while threads
/// wait is handed to one of these when it is given back: to the first one that last ran on the same
/// core, where the system runs it sooner than it moves it; if the owner of another slot is on this
/// core too, to the first one from a core without an owner. It is woken when the slot is given back
/// for the first time in a turn. A thread to which `max_passed` others were preferred is the next
/// one. So n threads wait at most for about n + max_passed times the
/// longer of `turn` and one use.
class FairSlots {
 public:
  explicit FairSlots(int count);
  FairSlots(const FairSlots&) = delete;

  /// The number of the slot that is now the caller's, from 0. A slot that was used before is
  /// preferred to another one. Throws std::bad_alloc when it would have to wait and cannot.
  int take();
  void give(int slot);
  /// Whether threads wait just now.
  bool waiting() const { return waiting_.load(std::memory_order_relaxed) > 0; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds turn{500};
  static constexpr int max_passed = 32;

  struct alignas(64) Slot {
    std::atomic<bool> free{false};
    // Guarded by mutex_:
    Clock::time_point since{};  // when its turn began
    int core = -1;              // where its owner runs
  };
  /// A thread that waits. It is kept for another one: who wakes it may do so late.
  struct Waiter {
    enum class State { asleep, called, watching } state = State::asleep;
    int slot = -1;  // that was handed to it
    int core = -1;
    int passed = 0;  // times that another one was preferred
    Waiter* next = nullptr;
    std::condition_variable wake{};
  };

  int take_free();
  void give_to_waiters(int given, bool mine);
  int wait();
  int wait_as(Waiter& self, std::unique_lock<std::mutex>& lock);
  void add(Waiter& w);
  void remove(Waiter& w);
  bool owned_elsewhere(int core, int but) const;
  Waiter& preferred(int slot) const;
  Waiter* call(int own);
  Slot& slot(int i) const { return slots_[static_cast<std::size_t>(i)]; }

  const int count_;
  const std::unique_ptr<Slot[]> slots_;
  std::atomic<int> opened_{0};   // slots that have been used
  std::atomic<int> waiting_{0};  // threads
  std::mutex mutex_{};           // guards what follows
  std::deque<Waiter> waiters_{};
  Waiter* spare_ = nullptr;  // those of them that no thread uses
  Waiter *first_ = nullptr, *last_ = nullptr;
};

}  // namespace webnn::inline v0_1
