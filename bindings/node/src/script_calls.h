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
///
/// JavaScript's thread must not wait for a thread that waits for it. So what it waits for while
/// there are custom operators, which other threads call at any time, is in serve_while() or
/// serve_until(), and what waits when it is freed is freed by free_elsewhere().
class ScriptCalls {
 public:
  explicit ScriptCalls(Napi::Env env);
  ScriptCalls(const ScriptCalls&) = delete;

  /// Calls f(env) on JavaScript's thread, and returns when it has returned. Throws
  /// std::runtime_error with the message of what it throws, and when the environment has ended.
  void call(const std::function<void(Napi::Env)>& f);
  /// Calls f on JavaScript's thread some time, if the environment has not ended before: it frees
  /// what must be freed there.
  void post(std::function<void()> f);
  /// On JavaScript's thread: makes the calls of others until done(), which change() makes true.
  void serve_until(const std::function<bool()>& done);
  /// On any thread: calls f under the lock under which serve_until() asks.
  void change(const std::function<void()>& f);
  /// On JavaScript's thread: calls f on another thread and makes the calls of others until it has
  /// returned. f does not use JavaScript. Throws what f throws.
  void serve_while(const std::function<void()>& f);
  /// On JavaScript's thread: frees it on another thread, for which nothing waits.
  void free_elsewhere(std::shared_ptr<void> held);

  /// Whether a call is running: functions of custom operators must not use what waits for them.
  bool is_running() const { return running_ > 0; }
  /// Whether there has been a custom operator; on JavaScript's thread.
  bool has_operators() const { return has_operators_; }
  void add_operator() { has_operators_ = true; }

 private:
  struct Request {
    const std::function<void(Napi::Env)>* f = nullptr;
    std::string failure{};
    bool done = false, failed = false;
  };

  static void wake(napi_env env, napi_value, void* self, void*);
  static void close(void* self);
  void refuse_waiting();
  void make_waiting(std::unique_lock<std::mutex>& lock);
  void make(Request& request);
  void free_all();

  const std::thread::id thread_ = std::this_thread::get_id();
  Napi::Env env_;
  napi_threadsafe_function queue_ = nullptr;
  int running_ = 0;             // on JavaScript's thread
  bool has_operators_ = false;  // on JavaScript's thread
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::deque<Request*> waiting_{};
  std::deque<std::function<void()>> posted_{};
  std::deque<std::shared_ptr<void>> to_free_{};
  std::unique_ptr<std::thread> frees_{};  // free_all()
  int serving_ = 0;                       // calls of serve_until()
  bool exiting_ = false;                  // only what is served runs
  bool closed_ = false;
};

}  // namespace webnn::inline v0_1::node
