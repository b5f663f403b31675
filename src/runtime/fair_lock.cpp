#include "src/runtime/fair_lock.h"

namespace webnn {

void FairLock::lock() {
  std::unique_lock guard(mutex_);
  const bool first_may_be_overtaken = !first_ || Clock::now() - first_since_ < patience;
  if (!held_ && first_may_be_overtaken) {
    held_ = true;
    return;
  }
  Waiter self;
  if (last_) last_->next = &self;
  else first_ = &self, first_since_ = Clock::now();
  last_ = &self;
  for (;;) {
    if (self.state == Waiter::owner) return;
    if (first_ == &self && !held_) {
      held_ = true;
      first_ = self.next;
      if (!first_) last_ = nullptr;
      first_since_ = Clock::now();
      return;
    }
    self.state = Waiter::asleep;
    guard.unlock();
    self.state.wait(Waiter::asleep);
    guard.lock();
  }
}

void FairLock::unlock() {
  const std::lock_guard guard(mutex_);
  held_ = false;
  if (!first_) return;
  Waiter& w = *first_;
  if (Clock::now() - first_since_ >= patience) {
    held_ = true;  // handed over
    first_ = w.next;
    if (!first_) last_ = nullptr;
    first_since_ = Clock::now();
    w.state = Waiter::owner;
    w.state.notify_one();
  } else if (w.state == Waiter::asleep) {
    w.state = Waiter::awake;
    w.state.notify_one();
  }
}

}  // namespace webnn
