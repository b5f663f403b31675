// JSON as values. Private; a shared library of a format has its own copy and does not show it.
#pragma once

#include "src/formats/common/value.h"

namespace webnn::inline v0_1::formats {

struct JsonLimits {
  std::size_t max_depth = 32;
  std::uint64_t max_bytes = std::uint64_t{1} << 30;  ///< memory that the values may take
  std::uint64_t first_byte = 0;  ///< where the text begins in its file, for offsets and messages
};

/// The whole text is one value. A DataError that names the byte for what is not JSON, with a key
/// that is repeated, or beyond the limits.
[[gnu::visibility("hidden")]] Result<Value> read_json(std::string_view text,
                                                      const JsonLimits& limits = {});
/// Objects and lists of objects with a line for each item, other lists in one line. A TypeError for
/// a text that is not UTF-8.
[[gnu::visibility("hidden")]] Result<std::string> write_json(const Value& value);

}  // namespace webnn::inline v0_1::formats
