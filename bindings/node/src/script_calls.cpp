#include "script_calls.h"

#include <stdexcept>

namespace webnn::inline v0_1::node {

ScriptCalls::ScriptCalls(Napi::Env env) : env_(env) {
  const Napi::String name = Napi::String::New(env, "webnn.custom");
  const napi_status status = napi_create_threadsafe_function(
      env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, this, &ScriptCalls::wake, &queue_);
  NAPI_THROW_IF_FAILED_VOID(env, status);
  napi_unref_threadsafe_function(env, queue_);
  napi_add_env_cleanup_hook(env, &ScriptCalls::close, this);
}

/// Those who wait are refused: no JavaScript runs anymore.
void ScriptCalls::close(void* self) {
  auto& s = *static_cast<ScriptCalls*>(self);
  const std::lock_guard lock(s.mutex_);
  s.closed_ = true;
  for (Request* r : s.waiting_) {
    r->failure = "the environment of its function has ended";
    r->failed = r->done = true;
  }
  s.waiting_.clear();
  s.changed_.notify_all();
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

void ScriptCalls::drain() {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty()) {
    Request& r = *waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    make(r);
    lock.lock();
    r.done = true;
    changed_.notify_all();
  }
  std::deque<std::function<void()>> posted;
  posted.swap(posted_);
  lock.unlock();
  const Napi::HandleScope scope(env_);
  for (const auto& f : posted) f();
}

void ScriptCalls::wake(napi_env env, napi_value, void* self, void*) {
  if (env) static_cast<ScriptCalls*>(self)->drain();
}

void ScriptCalls::call(const std::function<void(Napi::Env)>& f) {
  Request request{.f = &f};
  if (std::this_thread::get_id() == thread_) {
    make(request);
  } else {
    std::unique_lock lock(mutex_);
    if (closed_) throw std::runtime_error("the environment of its function has ended");
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

void ScriptCalls::serve_until(const bool& done) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return done || !waiting_.empty(); });
    if (done) return;
    lock.unlock();
    drain();
    lock.lock();
  }
}
void ScriptCalls::finish(bool& done) {
  const std::lock_guard lock(mutex_);
  done = true;
  changed_.notify_all();
}

}  // namespace webnn::inline v0_1::node
