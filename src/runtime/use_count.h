// Who uses a tensor or a graph that can be destroyed at any time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace webnn::inline v0_1 {

/// Counts uses until something is destroyed. Exactly one of all calls of release() and destroy()
/// returns true: the one after which nothing uses it any more and nothing will. That one frees.
class UseCount {
 public:
  /// False when it is destroyed: then nothing is counted.
  bool acquire() {
    std::uint32_t now = value_.load(std::memory_order_relaxed);
    while (!(now & destroyed_bit))
      if (value_.compare_exchange_weak(now, now + 1, std::memory_order_acquire)) return true;
    return false;
  }
  bool release() { return value_.fetch_sub(1, std::memory_order_acq_rel) == (destroyed_bit | 1); }
  bool destroy() { return value_.fetch_or(destroyed_bit, std::memory_order_acq_rel) == 0; }
  bool destroyed() const { return value_.load(std::memory_order_acquire) & destroyed_bit; }

 private:
  static constexpr std::uint32_t destroyed_bit = std::uint32_t{1} << 31;
  std::atomic<std::uint32_t> value_{0};
};

/// One use of a state that has `UseCount uses` and `void free_memory()`, which must not throw.
template <class State> class Use {
 public:
  Use() = default;
  /// Empty when the state is destroyed.
  explicit Use(std::shared_ptr<State> state) {
    if (state->uses.acquire()) state_ = std::move(state);
  }
  Use(Use&& other) noexcept : state_(std::move(other.state_)) {}
  Use& operator=(Use&& other) noexcept {
    Use(std::move(other)).swap(*this);
    return *this;
  }
  ~Use() {
    if (state_ && state_->uses.release()) state_->free_memory();
  }
  void swap(Use& other) noexcept { state_.swap(other.state_); }

  explicit operator bool() const { return state_ != nullptr; }
  State& operator*() const { return *state_; }
  State* operator->() const { return state_.get(); }
  State* get() const { return state_.get(); }

 private:
  std::shared_ptr<State> state_{};
};

/// A use of a state that another owner keeps meanwhile.
template <class State> class BorrowedUse {
 public:
  explicit BorrowedUse(const std::shared_ptr<State>& state)
      : state_(state->uses.acquire() ? state.get() : nullptr) {}
  BorrowedUse(BorrowedUse&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  ~BorrowedUse() {
    if (state_ && state_->uses.release()) state_->free_memory();
  }

  explicit operator bool() const { return state_ != nullptr; }
  State& operator*() const { return *state_; }
  State* operator->() const { return state_; }

 private:
  State* state_;
};

}  // namespace webnn::inline v0_1
