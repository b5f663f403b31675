// Failures of imports and exports. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/error.h"

namespace webnn::inline v0_1::formats {

/// The file is wrong, whatever found it.
inline Failure data_error(Failure f) {
  f.name = ErrorName::DataError;
  return f;
}

/// What the builder, or a handler of the format, said: the operator, unless it is the format, and
/// the reason. A TypeError is one of the file, not of the caller.
[[gnu::visibility("hidden")]] Failure failure_of(const Error& e, std::string_view format);
/// Raises that, with the part of the file before it: a node, for example.
[[noreturn, gnu::visibility("hidden")]] void rethrow(const Error& e, const std::string& part,
                                                     std::string_view format,
                                                     std::string_view label);
/// Raises a NotSupportedError of an export that names all at once. `kinds` is what they may be:
/// "operator", "input".
[[noreturn, gnu::visibility("hidden")]] void raise_refusals(
    const std::vector<std::string>& refusals, std::initializer_list<std::string_view> kinds,
    std::string_view format);

}  // namespace webnn::inline v0_1::formats
