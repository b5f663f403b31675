#include "src/runtime/fair_lock.h"

namespace webnn {

void FairLock::take_first() {
  --free_;
  first_ = first_->next;
  if (!first_) last_ = nullptr;
  first_since_ = Clock::now();
}

void FairLock::wake_first() {
  if (!first_ || first_->state != Waiter::asleep) return;
  first_->state = Waiter::awake;
  first_->state.notify_one();
}

void FairLock::lock() {
  std::unique_lock guard(mutex_);
  const bool first_may_be_overtaken = !first_ || Clock::now() - first_since_ < patience;
  if (free_ > 0 && first_may_be_overtaken) {
    --free_;
    return;
  }
  Waiter self;
  if (last_) last_->next = &self;
  else first_ = &self, first_since_ = Clock::now();
  last_ = &self;
  for (;;) {
    if (self.state == Waiter::owner) return;
    if (first_ == &self && free_ > 0) {
      take_first();
      if (free_ > 0) wake_first();
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
  ++free_;
  if (!first_) return;
  if (Clock::now() - first_since_ >= patience) {
    Waiter& w = *first_;
    take_first();  // handed over
    w.state = Waiter::owner;
    w.state.notify_one();
  }
  if (free_ > 0) wake_first();
}

}  // namespace webnn
