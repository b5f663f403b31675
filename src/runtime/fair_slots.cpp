#include "src/runtime/fair_slots.h"

#include "src/runtime/placement.h"

namespace webnn {

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
  Slot& s = slot(given);
  bool mine = true;
  if (waiting_.load(std::memory_order_relaxed) == 0) {
    s.free.store(true);
    if (waiting_.load() == 0) return;
    mine = false;
  }
  std::unique_lock lock(mutex_);
  Waiter* next = nullptr;
  if (const auto now = Clock::now(); mine && first_ && now - s.since >= turn) {
    next = &chosen();
    remove(*next);
    next->slot = given;
    s.since = now;
  } else if (mine) {
    s.free.store(true);
  }
  Waiter* const called = call_first();
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
  self.next = std::exchange(spare_, &self);
  Waiter* const called = call_first();
  lock.unlock();
  if (called) called->wake.notify_one();
  return taken;
}

// The first waiter is woken when a slot is free. If another thread was faster, it is not woken for
// that again, but looks itself after a while: usually its slot is handed to it before.
int FairSlots::wait_as(Waiter& self, std::unique_lock<std::mutex>& lock) {
  using State = Waiter::State;
  add(self);
  Clock::time_point end{};
  while (self.slot < 0) {
    if (const int free = first_ == &self ? take_free() : -1; free >= 0) {
      remove(self);
      slot(free).since = Clock::now();
      return free;
    }
    if (self.state == State::called) {
      self.state = State::watching;
      end = Clock::now() + 2 * turn;
    }
    if (self.state == State::asleep) self.wake.wait(lock);
    else if (self.wake.wait_until(lock, end) == std::cv_status::timeout) self.state = State::asleep;
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

/// Of the waiters, the one that gets this thread's slot.
FairSlots::Waiter& FairSlots::chosen() {
  const int core = current_core();
  const auto is_next = [&](const Waiter& w) { return w.core == core || w.passed == max_passed; };
  Waiter* best = first_;
  while (best && !is_next(*best)) best = best->next;
  if (!best) return *first_;
  for (Waiter* w = first_; w != best; w = w->next) ++w->passed;
  return *best;
}

/// The first waiter if it must be woken, since a slot is free. The caller does that.
FairSlots::Waiter* FairSlots::call_first() {
  if (!first_ || first_->state != Waiter::State::asleep) return nullptr;
  for (int i = 0; i < opened_.load(); ++i)
    if (slot(i).free.load()) {
      first_->state = Waiter::State::called;
      return first_;
    }
  return nullptr;
}

}  // namespace webnn
