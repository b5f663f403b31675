#include "settler.h"

#include "errors.h"
#include "waiting.h"

namespace webnn::inline v0_1::node {

Settler::Settler(Napi::Env env) {
  const Napi::String name = Napi::String::New(env, "webnn");
  const napi_status status = napi_create_threadsafe_function(
      env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, this, &Settler::call, &queue_);
  NAPI_THROW_IF_FAILED_VOID(env, status);
  napi_unref_threadsafe_function(env, queue_);
  napi_add_env_cleanup_hook(env, &Settler::shut, this);
}

/// The work uses memory of the environment: it must end before the environment does.
void Settler::shut(void* self) {
  auto& s = *static_cast<Settler*>(self);
  std::unique_lock lock(s.mutex_);
  s.changed_.wait(lock, [&] { return s.working_ == 0; });
}

std::shared_ptr<Pending> Settler::begin(Napi::Env env) {
  auto pending = std::make_shared<Pending>(env);
  if (unsettled_++ == 0) napi_ref_threadsafe_function(env, queue_);
  const std::lock_guard lock(mutex_);
  ++working_;
  return pending;
}

void Settler::forget(Napi::Env env) {
  if (--unsettled_ == 0) napi_unref_threadsafe_function(env, queue_);
  const std::lock_guard lock(mutex_);
  --working_;
}

Work::Work(Napi::Env env) : env_(env), pending_(instance(env).settler->begin(env)) {}
Work::~Work() {
  if (!started_) instance(env_).settler->forget(env_);
}
Napi::Promise Work::started() {
  started_ = true;
  return pending_->deferred.Promise();
}

void Settler::finish(std::shared_ptr<Pending> pending) {
  auto* data = new std::shared_ptr<Pending>(std::move(pending));
  // While the environment is closing the call fails; the handles are freed with it.
  napi_call_threadsafe_function(queue_, data, napi_tsfn_nonblocking);
  const std::lock_guard lock(mutex_);
  --working_;
  changed_.notify_all();
}

namespace {

void settle(Napi::Env env, Pending& p) {
  try {
    if (p.failure) p.deferred.Reject(to_js(env, p.failure));
    else p.deferred.Resolve(p.result(env));
  } catch (const Napi::Error& e) { p.deferred.Reject(e.Value()); } catch (...) {
    p.deferred.Reject(to_js(env, std::current_exception()));
  }
}

}  // namespace

void Settler::call(napi_env raw, napi_value, void* context, void* data) {
  if (!raw) return;
  const std::unique_ptr<std::shared_ptr<Pending>> held(
      static_cast<std::shared_ptr<Pending>*>(data));
  Pending& p = **held;
  const Napi::Env env(raw);
  auto& self = *static_cast<Settler*>(context);
  if (--self.unsettled_ == 0) napi_unref_threadsafe_function(env, self.queue_);
  try {
    settle(env, p);
  } catch (const Napi::Error&) {  // a worker that is being terminated runs no JavaScript
  }
  p.kept.clear();  // on this thread; another one may drop the last reference to `p`
  free_elsewhere(env, std::exchange(p.result, nullptr));
}

}  // namespace webnn::inline v0_1::node
