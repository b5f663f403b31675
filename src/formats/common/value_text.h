// Values as texts in one line, which attributes hold. Private; a shared library of a format has its
// own copy and does not show it.
#pragma once

#include "src/formats/common/value.h"

namespace webnn::inline v0_1::formats {

/// JSON without spaces.
[[gnu::visibility("hidden")]] std::string compact_text(const Value& value);
/// What compact_text() has written. A failure names the byte; lists lie 64 deep at most.
[[gnu::visibility("hidden")]] Result<Value> from_compact_text(std::string_view text);

}  // namespace webnn::inline v0_1::formats
