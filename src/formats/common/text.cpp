#include "src/formats/common/text.h"

#include "webnn/error.h"

namespace webnn::formats {

std::string_view truncated(std::string_view text, std::size_t max_size) {
  if (text.size() <= max_size) return text;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (max_size > 0 && continues(text[max_size])) --max_size;
  return text.substr(0, max_size);
}

std::string in_quotes(std::string_view name) {
  const std::string_view shown = truncated(name, 80);
  return '"' + escaped(shown) + (shown.size() < name.size() ? "...\"" : "\"");
}

}  // namespace webnn::formats
