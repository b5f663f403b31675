// Converts the library's exceptions to TypeError, or to a DOMException with the spec's name.
#pragma once

#include <napi.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/error.h"

namespace webnn::inline v0_1::node {

Napi::Value to_js(Napi::Env env, std::exception_ptr failure);

/// An argument that cannot be converted; the message has the value as the caller wrote it.
struct Unconvertible : TypeError {
  using TypeError::TypeError;
};

/// The numbers that a call of JavaScript has made of its arguments, where they are not what was
/// written: the message of an error that has such a number, or follows from one that was wrapped,
/// says what it was made of.
class Conversions {
 public:
  /// Those of the call that is under way.
  explicit Conversions(Napi::Env env);
  ~Conversions();
  Conversions(const Conversions&) = delete;

  void add(std::string argument, std::string written, double number, bool wrapped);
  Napi::Value to_js(std::exception_ptr failure) const;

 private:
  struct Conversion {
    std::string argument, written, number;
    bool wrapped;
  };
  std::string text_for(std::string_view message) const;

  Napi::Env env_;
  Conversions* outer_;  // a getter of an argument may call a function
  std::vector<Conversion> all_{};
};

/// F as a function of JavaScript: its exceptions are thrown there.
template <Napi::Value (*F)(const Napi::CallbackInfo&)>
Napi::Value throwing(const Napi::CallbackInfo& info) {
  const Conversions conversions(info.Env());
  try {
    return F(info);
  } catch (const Napi::Error&) { throw; } catch (...) {
    throw Napi::Error(info.Env(), conversions.to_js(std::current_exception()));
  }
}

/// The same for the class of a constructor.
template <Napi::Value (*F)(const Napi::CallbackInfo&)>
napi_value constructing(napi_env env, napi_callback_info info) {
  try {
    return throwing<F>(Napi::CallbackInfo(env, info));
  } catch (const Napi::Error& e) { e.ThrowAsJavaScriptException(); }
  return nullptr;
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
  const Conversions conversions(info.Env());
  try {
    const Napi::Value value = F(info);
    return value.IsPromise() ? value : settled([&](const auto& d) { d.Resolve(value); });
  } catch (const Napi::Error& e) {
    return settled([&](const auto& d) { d.Reject(e.Value()); });
  } catch (...) {
    const Napi::Value reason = conversions.to_js(std::current_exception());
    return settled([&](const auto& d) { d.Reject(reason); });
  }
}

}  // namespace webnn::inline v0_1::node
