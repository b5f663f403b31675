// From exceptions to status codes and errors.
#pragma once

#include <exception>
#include <new>

#include "bindings/c/src/handles.h"

namespace webnn::inline v0_1::c {

/// The error of an exception; when there is no memory for it, one that is never deleted.
webnn_error* error_of(std::exception_ptr exception) noexcept;
/// The status of the exception that is being handled, whose error is stored.
webnn_status report(webnn_error** error) noexcept;

/// Runs f; no exception leaves it.
template <class F> webnn_status guarded(webnn_error** error, F&& f) noexcept {
  try {
    f();
    return WEBNN_OK;
  } catch (...) { return report(error); }
}

/// The error of a callback, or null.
class CallbackError {
 public:
  explicit CallbackError(std::exception_ptr exception)
      : error_(exception ? error_of(std::move(exception)) : nullptr) {}
  CallbackError(const CallbackError&) = delete;
  ~CallbackError() { release(error_); }
  const webnn_error* get() const { return error_; }

 private:
  webnn_error* error_;
};

/// An argument of a function, for messages.
struct Where {
  std::string_view function, argument;

  [[noreturn]] void reject(const std::string& reason) const {
    throw TypeError(function, "", std::string(argument) + ' ' + reason);
  }
  /// A reason with a subject: `"" is not a list`.
  [[noreturn]] void reject_value(const std::string& reason) const {
    throw TypeError(function, "", std::string(argument) + ": " + reason);
  }
};

/// An argument that must not be null.
template <class T> T& need(T* pointer, Where where) {
  if (!pointer) where.reject("is null");
  return *pointer;
}
/// A list whose pointer may be null only when it is empty.
template <class T> std::span<T> list(T* data, std::size_t length, Where where) {
  if (!data && length) where.reject("is null, but its length is " + std::to_string(length));
  return {data, length};
}

}  // namespace webnn::inline v0_1::c
