// Names of a file as messages and labels show them. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <string>
#include <string_view>

namespace webnn::formats {

/// The first characters of a text in UTF-8, at most `max_size` bytes: no character is cut.
[[gnu::visibility("hidden")]] std::string_view truncated(std::string_view text,
                                                         std::size_t max_size);

/// Escaped, in quotes, and with "..." in place of what follows the first 80 bytes.
[[gnu::visibility("hidden")]] std::string in_quotes(std::string_view name);

}  // namespace webnn::formats
