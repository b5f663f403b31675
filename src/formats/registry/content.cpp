#include "src/formats/registry/content.h"

namespace webnn::inline v0_1::registry {

std::string_view first_word(std::span<const std::byte> file) {
  constexpr std::string_view spaces = " \t\r\n";
  std::string_view text = head_of(file);
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
    if (!text.starts_with('#') && !text.starts_with("//")) break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  return text.substr(0, text.find_first_of(spaces));
}

}  // namespace webnn::inline v0_1::registry
