// What a call throws, as text: REQUIRE(thrown([&] { b.build({}); }) == "TypeError build: ...").
#pragma once

#include <stdexcept>
#include <string>

#include "webnn/error.h"

namespace webnn::inline v0_1::test {

/// The class that a program catches and the message of the exception, or "nothing".
template <class F> std::string thrown(F&& f) {
  const auto type = [](const Error& e) -> std::string {
    if (dynamic_cast<const TypeError*>(&e)) return "TypeError";
    if (dynamic_cast<const InvalidStateError*>(&e)) return "InvalidStateError";
    if (dynamic_cast<const NotSupportedError*>(&e)) return "NotSupportedError";
    if (dynamic_cast<const OperationError*>(&e)) return "OperationError";
    if (dynamic_cast<const UnknownError*>(&e)) return "UnknownError";
    if (dynamic_cast<const DataError*>(&e)) return "DataError";
    if (dynamic_cast<const AbortError*>(&e)) return "AbortError";
    return "Error";
  };
  const auto name = [&](const Error& e) {
    const std::string name(name_of(e.name()));
    return type(e) == name ? name + ' ' : type(e) + " with the name " + name + ' ';
  };
  try {
    f();
  } catch (const Error& e) { return name(e) + e.what(); } catch (const std::exception& e) {
    return std::string("std::exception ") + e.what();
  }
  return "nothing";
}

}  // namespace webnn::inline v0_1::test
