#include "src/runtime/fair_slots.h"

#include <utility>

#include "src/runtime/placement.h"

namespace webnn::inline v0_1 {

FairSlots::FairSlots(int count)
    : count_(count), slots_(std::make_unique<Slot[]>(static_cast<std::size_t>(count))) {}

int FairSlots::take() {
  const int free = take_free();
  return free >= 0 ? free : wait();
}

/// A slot that was free, or -1.
int FairSlots::take_free() {
  const int opened = opened_.load(std::memory_order_acquire);
  for (int i = 0; i < opened; ++i)
    if (slot(i).free.load() && slot(i).free.exchange(false)) return i;
  return -1;
}

// A thread that gives a slot back frees it before it looks for waiters, and one that is going to
// wait counts itself before it looks for a free slot: so one of them sees the other.
void FairSlots::give(int given) {
  if (waiting_.load(std::memory_order_relaxed) != 0) return give_to_waiters(given, true);
  slot(given).free.store(true);
  if (waiting_.load() != 0) give_to_waiters(given, false);
}

/// `mine`: the slot is not free yet.
void FairSlots::give_to_waiters(int given, bool mine) {
  Slot& s = slot(given);
  std::unique_lock lock(mutex_);
  Waiter* next = nullptr;
  if (const auto now = Clock::now(); mine && first_ && now - s.since >= turn) {
    next = &preferred(given);
    for (Waiter* w = first_; w != next; w = w->next) ++w->passed;
    remove(*next);
    next->slot = given;
    s.since = now;
    s.core = next->core;
  } else if (mine) {
    s.core = current_core();
    s.free.store(true);
  }
  Waiter* const called = call(given);
  lock.unlock();  // those that wake up find it unlocked
  if (next) next->wake.notify_one();
  if (called) called->wake.notify_one();
}

int FairSlots::wait() {
  std::unique_lock lock(mutex_);
  if (const int free = take_free(); free >= 0) return free;
  if (const int opened = opened_.load(); opened < count_) {
    opened_.store(opened + 1, std::memory_order_release);
    return opened;
  }
  if (!spare_) spare_ = &waiters_.emplace_back();
  Waiter& self = *std::exchange(spare_, spare_->next);
  const int taken = wait_as(self, lock);
  slot(taken).core = current_core();
  Waiter* const called = call(taken);
  self.next = std::exchange(spare_, &self);
  lock.unlock();
  if (called) called->wake.notify_one();
  return taken;
}

// A waiter is woken when a slot is free. If another thread was faster, it is not woken for that
// again, but looks itself after a while: usually a slot is handed to it before.
int FairSlots::wait_as(Waiter& self, std::unique_lock<std::mutex>& lock) {
  using State = Waiter::State;
  add(self);
  Clock::time_point end{};
  for (bool late = false; self.slot < 0;) {
    if (first_ == &self || self.state != State::asleep)
      if (const int free = take_free(); free >= 0) {
        remove(self);
        slot(free).since = Clock::now();
        return free;
      }
    if (self.state == State::called) {
      self.state = State::watching;
      end = Clock::now() + 2 * turn;
    } else if (late) {
      self.state = State::asleep;
    }
    late = false;
    if (self.state == State::asleep) self.wake.wait(lock);
    else late = self.wake.wait_until(lock, end) == std::cv_status::timeout;
  }
  return self.slot;
}

void FairSlots::add(Waiter& w) {
  w.state = Waiter::State::asleep;
  w.slot = -1;
  w.core = current_core();
  w.passed = 0;
  w.next = nullptr;
  (first_ ? last_->next : first_) = &w;
  last_ = &w;
  waiting_.fetch_add(1);
}

void FairSlots::remove(Waiter& w) {
  Waiter *before = nullptr, **at = &first_;
  while (*at != &w) before = *at, at = &before->next;
  *at = w.next;
  if (last_ == &w) last_ = before;
  waiting_.fetch_sub(1);
}

/// Whether another slot has its owner on that core.
bool FairSlots::owned_elsewhere(int core, int but) const {
  for (int i = 0; i < opened_.load(); ++i)
    if (i != but && slot(i).core == core && !slot(i).free.load()) return true;
  return false;
}

/// The waiter that gets this thread's slot. Two owners on one core would hand their
/// slots to threads of that core, and another core would have none.
FairSlots::Waiter& FairSlots::preferred(int slot) const {
  const auto first = [&](auto is_better) {
    Waiter* w = first_;
    while (w && w->passed < max_passed && !is_better(*w)) w = w->next;
    return w;
  };
  const int core = current_core();
  Waiter* best = nullptr;
  if (owned_elsewhere(core, slot))
    best = first([&](const Waiter& w) { return !owned_elsewhere(w.core, slot); });
  if (!best) best = first([&](const Waiter& w) { return w.core == core; });
  return best ? *best : *first_;
}

/// The waiter that must be woken, since a slot is free, if there is one. The caller does that.
FairSlots::Waiter* FairSlots::call(int own) {
  if (!first_) return nullptr;
  for (int i = 0; i < opened_.load(); ++i)
    if (slot(i).free.load()) {
      Waiter& w = preferred(own);
      if (w.state != Waiter::State::asleep) return nullptr;
      w.state = Waiter::State::called;
      return &w;
    }
  return nullptr;
}

}  // namespace webnn::inline v0_1
