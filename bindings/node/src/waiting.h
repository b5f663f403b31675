// What JavaScript's thread waits for.
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "instance.h"

namespace webnn::inline v0_1::node {

/// Whether a call must not simply wait for other threads, which may wait for functions of custom
/// operators.
inline bool may_be_waited_for(Napi::Env env) {
  const auto& calls = instance(env).calls;
  return calls && calls->has_operators();
}

/// f(), which may wait for other threads: functions of custom operators are called meanwhile. f
/// uses neither JavaScript nor its memory, which those functions may free.
template <class F> auto waiting(Napi::Env env, std::string_view method, F f) {
  if (!may_be_waited_for(env)) return f();
  ScriptCalls& calls = *instance(env).calls;
  if (calls.is_running())
    throw InvalidStateError(method, "", "a function of a custom operator calls it");
  if constexpr (std::is_void_v<decltype(f())>) {
    calls.serve_while(f);
  } else {
    std::optional<decltype(f())> result;
    calls.serve_while([&] { result.emplace(f()); });
    return std::move(*result);
  }
}

template <class F> void waiting_if(bool may_wait, Napi::Env env, std::string_view method, F f) {
  if (may_wait) waiting(env, method, f);
  else f();
}

/// Frees what may be the last that holds a context, whose queue is then run to its end.
template <class T> void free_elsewhere(Napi::Env env, T value) {
  if (may_be_waited_for(env))
    instance(env).calls->free_elsewhere(std::make_shared<T>(std::move(value)));
}

}  // namespace webnn::inline v0_1::node
