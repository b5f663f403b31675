#include "script_calls.h"

#include <exception>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace webnn::inline v0_1::node {

ScriptCalls::ScriptCalls(Napi::Env env) : env_(env) {
  const Napi::String name = Napi::String::New(env, "webnn.custom");
  const napi_status status = napi_create_threadsafe_function(
      env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, this, &ScriptCalls::wake, &queue_);
  NAPI_THROW_IF_FAILED_VOID(env, status);
  napi_unref_threadsafe_function(env, queue_);
  napi_add_env_cleanup_hook(env, &ScriptCalls::close, this);
  // Before it runs that hook, Node waits for its pool, whose threads may wait here.
  const Napi::Object process = env.Global().Get("process").As<Napi::Object>();
  const auto exits = [this](const Napi::CallbackInfo&) {
    const std::lock_guard lock(mutex_);
    exiting_ = true;
    refuse_waiting();
  };
  process.Get("once").As<Napi::Function>().Call(
      process, {Napi::String::New(env, "exit"), Napi::Function::New(env, exits)});
}

/// No JavaScript runs anymore for those who wait.
void ScriptCalls::refuse_waiting() {
  for (Request* r : waiting_) {
    r->failure = "the environment of its function has ended";
    r->failed = r->done = true;
  }
  waiting_.clear();
  changed_.notify_all();
}

void ScriptCalls::close(void* self) {
  auto& s = *static_cast<ScriptCalls*>(self);
  {
    const std::lock_guard lock(s.mutex_);
    s.closed_ = true;
    s.refuse_waiting();
  }
  if (s.frees_) s.frees_->join();
  s.frees_.reset();
}

void ScriptCalls::make(Request& request) {
  const Napi::HandleScope scope(env_);
  ++running_;
  try {
    (*request.f)(env_);
  } catch (const std::exception& e) {  // Napi::Error is one; its value is freed on this thread
    request.failure = e.what();
    request.failed = true;
  } catch (...) {
    request.failure = "its function threw a value that is not an error";
    request.failed = true;
  }
  --running_;
}

void ScriptCalls::make_waiting(std::unique_lock<std::mutex>& lock) {
  while (!waiting_.empty()) {
    Request& r = *waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    make(r);
    lock.lock();
    r.done = true;
    changed_.notify_all();
  }
}

void ScriptCalls::wake(napi_env env, napi_value, void* self, void*) {
  if (!env) return;
  auto& s = *static_cast<ScriptCalls*>(self);
  std::unique_lock lock(s.mutex_);
  s.make_waiting(lock);
  std::deque<std::function<void()>> posted;
  posted.swap(s.posted_);
  lock.unlock();
  const Napi::HandleScope scope(env);
  for (const auto& f : posted) f();
}

void ScriptCalls::call(const std::function<void(Napi::Env)>& f) {
  Request request{.f = &f};
  if (std::this_thread::get_id() == thread_) {
    make(request);
  } else {
    std::unique_lock lock(mutex_);
    if (closed_ || (exiting_ && serving_ == 0))
      throw std::runtime_error("the environment of its function has ended");
    waiting_.push_back(&request);
    changed_.notify_all();
    // While the environment is closing this fails, and close() ends the wait.
    napi_call_threadsafe_function(queue_, nullptr, napi_tsfn_nonblocking);
    changed_.wait(lock, [&] { return request.done; });
  }
  if (request.failed) throw std::runtime_error(request.failure);
}

void ScriptCalls::post(std::function<void()> f) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  posted_.push_back(std::move(f));
  napi_call_threadsafe_function(queue_, nullptr, napi_tsfn_nonblocking);
}

void ScriptCalls::serve_until(const std::function<bool()>& done) {
  std::unique_lock lock(mutex_);
  ++serving_;
  while (!done()) {
    make_waiting(lock);
    changed_.wait(lock, [&] { return done() || !waiting_.empty(); });
  }
  if (--serving_ == 0 && exiting_) refuse_waiting();
}
void ScriptCalls::change(const std::function<void()>& f) {
  const std::lock_guard lock(mutex_);
  f();
  changed_.notify_all();
}

void ScriptCalls::serve_while(const std::function<void()>& f) {
  std::exception_ptr failure;
  bool done = false;
  const auto call = [&] {
    try {
      f();
    } catch (...) { failure = std::current_exception(); }
    change([&] { done = true; });
  };
  std::optional<std::thread> other;
  try {
    other.emplace(call);
  } catch (const std::system_error&) { return f(); }
  serve_until([&] { return done; });
  other->join();
  if (failure) std::rethrow_exception(failure);
}

void ScriptCalls::free_elsewhere(std::shared_ptr<void> held) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  to_free_.push_back(std::move(held));
  changed_.notify_all();
  if (!frees_) try {
      frees_ = std::make_unique<std::thread>(&ScriptCalls::free_all, this);
    } catch (const std::system_error&) {}  // the next call tries again
}
void ScriptCalls::free_all() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closed_ || !to_free_.empty(); });
    if (to_free_.empty()) return;
    std::deque<std::shared_ptr<void>> held;
    held.swap(to_free_);
    lock.unlock();
    held.clear();
    lock.lock();
  }
}

}  // namespace webnn::inline v0_1::node
