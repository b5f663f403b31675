// Native memory that belongs to objects of JavaScript.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>

namespace webnn::inline v0_1::node {

class Collector;

/// What an object wraps.
class Wrapped {
 public:
  Wrapped() = default;
  Wrapped(const Wrapped&) = delete;
  virtual ~Wrapped() = default;

  /// Moves out what it holds, whose last owner frees it; the object is not used again.
  virtual std::shared_ptr<void> take() = 0;
  /// Whether destroy() has freed it.
  virtual bool destroyed() const = 0;

 private:
  friend class Collector;

  Collector* owner_ = nullptr;
  Wrapped *before_ = nullptr, *after_ = nullptr;
  napi_ref object_ = nullptr;  // weak
  std::int64_t bytes_ = 0;     // of native memory, as the garbage collector knows
};

/// The wrapped values of one environment. Node calls finalizers in a turn of the event loop, which
/// a loop of awaits on settled promises does not reach. So wrap() first frees the values whose
/// objects the garbage collector has found dead.
class Collector {
 public:
  Collector() = default;
  Collector(const Collector&) = delete;
  ~Collector();

  /// Wraps the value, which holds `bytes` of native memory and is deleted with the object. Throws
  /// Napi::Error, and then deletes nothing.
  void wrap(Napi::Object object, Wrapped& value, std::int64_t bytes);
  /// Tells the garbage collector how much native memory the value holds now.
  void set_bytes(Napi::Env env, Wrapped& value, std::int64_t bytes);
  /// The same for one that holds more than before.
  void add_bytes(Napi::Env env, Wrapped& value, std::int64_t bytes) {
    set_bytes(env, value, value.bytes_ + bytes);
  }
  /// Tells it of those that were destroyed with their context.
  void forget_destroyed(Napi::Env env);

 private:
  static void finalize(napi_env env, void* data, void* hint);
  void remove(Wrapped& value);
  void free(napi_env env, Wrapped& value);
  bool collected(Napi::Env env);
  void free_dead(Napi::Env env);

  Wrapped* first_ = nullptr;
  Napi::ObjectReference canary_{};  // weak: the next garbage collection finds the object dead
};

}  // namespace webnn::inline v0_1::node
