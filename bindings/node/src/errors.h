// Converts the library's exceptions to TypeError, or to a DOMException with the spec's name.
#pragma once

#include <napi.h>

#include <exception>

#include "webnn/error.h"

namespace webnn::inline v0_1::node {

Napi::Value to_js(Napi::Env env, std::exception_ptr failure);

/// F as a function of JavaScript: its exceptions are thrown there.
template <Napi::Value (*F)(const Napi::CallbackInfo&)>
Napi::Value throwing(const Napi::CallbackInfo& info) {
  try {
    return F(info);
  } catch (const Napi::Error&) { throw; } catch (...) {
    throw Napi::Error(info.Env(), to_js(info.Env(), std::current_exception()));
  }
}

/// F as a function that returns a promise: its exceptions reject it. F returns the promise, or the
/// value that fulfills it.
template <Napi::Value (*F)(const Napi::CallbackInfo&)>
Napi::Value promised(const Napi::CallbackInfo& info) {
  const auto settled = [&](auto settle) -> Napi::Value {
    const auto deferred = Napi::Promise::Deferred::New(info.Env());
    settle(deferred);
    return deferred.Promise();
  };
  try {
    const Napi::Value value = F(info);
    return value.IsPromise() ? value : settled([&](const auto& d) { d.Resolve(value); });
  } catch (const Napi::Error& e) {
    return settled([&](const auto& d) { d.Reject(e.Value()); });
  } catch (...) {
    const Napi::Value reason = to_js(info.Env(), std::current_exception());
    return settled([&](const auto& d) { d.Reject(reason); });
  }
}

}  // namespace webnn::inline v0_1::node
