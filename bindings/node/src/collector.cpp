#include "collector.h"

#include "waiting.h"

namespace webnn::inline v0_1::node {
namespace {

/// Whether the object of a weak reference has been collected.
bool is_dead(napi_env env, napi_ref reference) {
  const Napi::HandleScope scope(env);
  napi_value object = nullptr;
  return napi_get_reference_value(env, reference, &object) == napi_ok && !object;
}

}  // namespace

/// Those that are left are deleted by their finalizers.
Collector::~Collector() {
  while (first_) remove(*first_);
}

void Collector::wrap(Napi::Object object, Wrapped& value, std::int64_t bytes) {
  const Napi::Env env = object.Env();
  if (collected(env)) free_dead(env);
  const napi_status status =
      napi_wrap(env, object, &value, &Collector::finalize, nullptr, &value.object_);
  NAPI_THROW_IF_FAILED_VOID(env, status);
  value.owner_ = this;
  value.after_ = first_;
  if (first_) first_->before_ = &value;
  first_ = &value;
  set_bytes(env, value, bytes);
}

void Collector::set_bytes(Napi::Env env, Wrapped& value, std::int64_t bytes) {
  if (bytes == value.bytes_) return;
  std::int64_t now = 0;
  napi_adjust_external_memory(env, bytes - value.bytes_, &now);
  value.bytes_ = bytes;
}

void Collector::forget_destroyed(Napi::Env env) {
  for (Wrapped* w = first_; w; w = w->after_)
    if (w->destroyed()) set_bytes(env, *w, 0);
}

void Collector::finalize(napi_env env, void* data, void*) {
  auto* value = static_cast<Wrapped*>(data);
  std::int64_t now = 0;
  if (value->bytes_) napi_adjust_external_memory(env, -value->bytes_, &now);
  if (Collector* const owner = value->owner_) {
    owner->remove(*value);
    owner->free(env, *value);
  }
  napi_delete_reference(env, value->object_);
  delete value;
}

void Collector::remove(Wrapped& value) {
  if (value.before_) value.before_->after_ = value.after_;
  else first_ = value.after_;
  if (value.after_) value.after_->before_ = value.before_;
  value.owner_ = nullptr;
  value.before_ = value.after_ = nullptr;
}

/// Whether there has been a garbage collection since the last call.
bool Collector::collected(Napi::Env env) {
  const Napi::HandleScope scope(env);
  const bool is_first = canary_.IsEmpty();
  if (!is_first && !canary_.Value().IsEmpty()) return false;
  canary_ = Napi::Weak(Napi::Object::New(env));
  return !is_first;
}

void Collector::free_dead(Napi::Env env) {
  for (Wrapped *w = first_, *next = nullptr; w; w = next) {
    next = w->after_;
    if (!is_dead(env, w->object_)) continue;
    remove(*w);
    set_bytes(env, *w, 0);
    free(env, *w);
  }
}

void Collector::free(napi_env env, Wrapped& value) { free_elsewhere(env, value.take()); }

}  // namespace webnn::inline v0_1::node
