// Calls of JavaScript functions by other threads.
#pragma once

#include <napi.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace webnn::inline v0_1::node {

/// Runs what other threads ask for on JavaScript's thread, while they wait. Lives as long as what
/// holds functions of the environment, which may be longer than the environment.
class ScriptCalls {
 public:
  explicit ScriptCalls(Napi::Env env);

  /// Calls f(env) on JavaScript's thread, and returns when it has returned. Throws
  /// std::runtime_error with the message of what it throws, and when the environment has ended.
  void call(const std::function<void(Napi::Env)>& f);
  /// Calls f on JavaScript's thread some time, if the environment has not ended before: it frees
  /// what must be freed there.
  void post(std::function<void()> f);
  /// On JavaScript's thread: makes the calls of others until `done` is set by finish().
  void serve_until(const bool& done);
  /// On any thread: sets `done`, under the lock of serve_until().
  void finish(bool& done);

  /// Whether a call is running: functions of custom operators must not use what waits for them.
  bool is_running() const { return running_ > 0; }

 private:
  struct Request {
    const std::function<void(Napi::Env)>* f = nullptr;
    std::function<void()> posted{};
    std::string failure{};
    bool done = false, failed = false;
  };

  static void wake(napi_env env, napi_value, void* self, void*);
  static void close(void* self);
  void drain();
  void make(Request& request);

  const std::thread::id thread_ = std::this_thread::get_id();
  Napi::Env env_;
  napi_threadsafe_function queue_ = nullptr;
  int running_ = 0;  // on JavaScript's thread
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::deque<Request*> waiting_{};
  std::deque<std::function<void()>> posted_{};
  bool closed_ = false;
};

}  // namespace webnn::inline v0_1::node
