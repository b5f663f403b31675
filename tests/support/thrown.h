// What a call throws, as text: REQUIRE(thrown([&] { b.build({}); }) == "TypeError build: ...").
#pragma once

#include <stdexcept>
#include <string>
#include <typeinfo>

#include "webnn/error.h"

namespace webnn::inline v0_1::test {

/// The class and the message of the exception, or "nothing".
template <class F> std::string thrown(F&& f) {
  const auto type = [](const Error& e) -> std::string {
    if (typeid(e) == typeid(TypeError)) return "TypeError";
    if (typeid(e) == typeid(InvalidStateError)) return "InvalidStateError";
    if (typeid(e) == typeid(NotSupportedError)) return "NotSupportedError";
    if (typeid(e) == typeid(OperationError)) return "OperationError";
    if (typeid(e) == typeid(UnknownError)) return "UnknownError";
    if (typeid(e) == typeid(DataError)) return "DataError";
    if (typeid(e) == typeid(AbortError)) return "AbortError";
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
