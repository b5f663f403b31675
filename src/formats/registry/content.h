// What the beginning of a file says of its format. Private.
#pragma once

#include <cstring>
#include <span>
#include <string_view>

namespace webnn::inline v0_1::registry {

/// The first part of a text.
inline std::string_view head_of(std::span<const std::byte> file) {
  return std::string_view(reinterpret_cast<const char*>(file.data()), file.size()).substr(0, 4096);
}
/// Whether there are these letters at an offset.
inline bool has_text(std::span<const std::byte> file, std::size_t at, std::string_view letters) {
  return at <= file.size() && head_of(file.subspan(at)).starts_with(letters);
}
/// The letters, digits and signs up to a space, behind spaces and comments of `//` and `#`.
std::string_view first_word(std::span<const std::byte> file);

}  // namespace webnn::inline v0_1::registry
