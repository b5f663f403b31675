// Promises whose work is done on other threads.
#pragma once

#include <napi.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace webnn::inline v0_1::node {

/// A promise that is not settled, and the values that must live until it is.
struct Pending {
  explicit Pending(Napi::Env env) : deferred(Napi::Promise::Deferred::New(env)) {}

  Napi::Promise::Deferred deferred;
  std::exception_ptr failure{};                      // why the work failed; else
  std::function<Napi::Value(Napi::Env)> result{};    // makes the value that fulfills it
  std::vector<Napi::Reference<Napi::Value>> kept{};  // such as arguments
};

/// Settles promises on JavaScript's thread, in the order in which their work was done. The process
/// does not end while one is pending.
class Settler {
 public:
  explicit Settler(Napi::Env env);

  /// On JavaScript's thread.
  std::shared_ptr<Pending> begin(Napi::Env env);
  /// On JavaScript's thread: the work was not started.
  void forget(Napi::Env env);
  /// On any thread, once: the work is done.
  void finish(std::shared_ptr<Pending> pending);

 private:
  static void call(napi_env env, napi_value, void* context, void* data);
  static void shut(void* self);

  napi_threadsafe_function queue_ = nullptr;
  std::size_t unsettled_ = 0;  // promises, on JavaScript's thread
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::size_t working_ = 0;  // begun and not finished
};

/// A promise for work that is about to start; withdrawn if starting it throws.
class Work {
 public:
  explicit Work(Napi::Env env);
  ~Work();
  Work(const Work&) = delete;

  const std::shared_ptr<Pending>& pending() const { return pending_; }
  /// Called when the work has started and will settle the promise.
  Napi::Promise started();

 private:
  Napi::Env env_;
  std::shared_ptr<Pending> pending_;
  bool started_ = false;
};

}  // namespace webnn::inline v0_1::node
