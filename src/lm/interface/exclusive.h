// What callers of other languages may use from any thread. Private.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace webnn::inline v0_1::lm {

/// An object that one thread may use at a time: calls of several threads wait for each other.
/// Objects that use the same cache share the mutex.
template <class T> class Exclusive {
 public:
  explicit Exclusive(T value, std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>())
      : value_(std::move(value)), mutex_(std::move(mutex)) {}

  /// f(object), while no other thread uses it.
  template <class F> decltype(auto) use(F&& f) {
    const std::lock_guard lock(*mutex_);
    return f(value_);
  }
  const std::shared_ptr<std::mutex>& mutex() const { return mutex_; }

 private:
  T value_;
  std::shared_ptr<std::mutex> mutex_;
};

}  // namespace webnn::inline v0_1::lm
