// Failures, the exceptions named by the spec, and Result<T>.
#pragma once

#include "webnn/language.h"

#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "webnn/number.h"

namespace webnn::inline v0_1 {

enum class ErrorName {
  TypeError,
  InvalidStateError,
  NotSupportedError,
  OperationError,
  UnknownError,
  DataError,
  AbortError
};
constexpr auto names_of(ErrorName) {
  return names("TypeError", "InvalidStateError", "NotSupportedError", "OperationError",
               "UnknownError", "DataError", "AbortError");
}

/// Why something cannot be done: a sentence without its final period.
struct Failure {
  std::string message;
  ErrorName name = ErrorName::TypeError;
};

/// A name or label as messages print it: control and bidirectional characters as `\uXXXX`,
/// bytes that are not UTF-8 as `\xXX`.
std::string escaped(std::string_view label);

template <class T> class [[nodiscard]] Result {
 public:
  template <std::convertible_to<T> U> Result(U&& value) : v_(T(std::forward<U>(value))) {}
  Result(Failure failure) : v_(std::move(failure)) {}

  explicit operator bool() const { return v_.index() == 0; }
  T& operator*() { return std::get<0>(v_); }
  const T& operator*() const { return std::get<0>(v_); }
  T* operator->() { return &std::get<0>(v_); }
  const Failure& failure() const { return std::get<1>(v_); }

 private:
  std::variant<T, Failure> v_;
};

/// The base class of what the library throws, which has one of the types below.
class Error : public std::runtime_error {
 public:
  Error(ErrorName name, std::string_view op, std::string_view label, std::string_view reason);
  ErrorName name() const { return name_; }  ///< which type below; name_of() gives it as text
  const std::string& op() const { return op_; }
  const std::string& label() const { return label_; }
  const std::string& reason() const { return reason_; }  ///< the message without operator and label

 private:
  ErrorName name_;
  std::string op_, label_, reason_;
};

template <ErrorName error_name> struct NamedError : Error {
  NamedError(std::string_view op, std::string_view label, std::string_view reason)
      : Error(error_name, op, label, reason) {}
};
using TypeError = NamedError<ErrorName::TypeError>;
using InvalidStateError = NamedError<ErrorName::InvalidStateError>;
using NotSupportedError = NamedError<ErrorName::NotSupportedError>;
using OperationError = NamedError<ErrorName::OperationError>;
using UnknownError = NamedError<ErrorName::UnknownError>;
using DataError = NamedError<ErrorName::DataError>;
/// Work stopped because it was asked to stop.
using AbortError = NamedError<ErrorName::AbortError>;

}  // namespace webnn::inline v0_1

// How the library makes its messages. A program that uses the library needs none of it.
namespace webnn::inline v0_1::detail {

/// One value of a message, formatted out of line so that no public header needs a formatter.
struct Arg {
  std::string text;

  Arg(const char* s) : text(s) {}
  Arg(std::string_view s) : text(s) {}
  Arg(const std::string& s) : text(s) {}
  Arg(const MLNumber& v);
  Arg(std::span<const std::uint32_t> list);
  Arg(std::span<const std::uint64_t> list);
  template <class T>
  requires std::is_arithmetic_v<T> Arg(T v) : Arg(MLNumber(v)) {}
  template <NamedEnum E> Arg(E e) : text(name_of(e)) {}
};

/// A message whose placeholders `{}` are counted while compiling.
template <class... Args> struct Message {
  std::string_view text;

  consteval Message(const char* s) : text(s) {
    std::size_t count = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) count += text[i] == '{' && text[i + 1] == '}';
    if (count != sizeof...(Args)) throw "the number of {} differs from the number of arguments";
  }
};

/// `form` with the arguments in place of its `{}`.
std::string format(std::string_view form, std::initializer_list<Arg> args);
/// A TypeError, unless its name is changed.
template <class... A> Failure fail(Message<std::type_identity_t<A>...> form, const A&... args) {
  return {format(form.text, {Arg(args)...})};
}

/// The only place where a failure becomes an exception.
[[noreturn]] void raise(const Failure&, std::string_view op, std::string_view label = {});

}  // namespace webnn::inline v0_1::detail
