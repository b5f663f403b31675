#include "src/graph/text.h"

#include "webnn/error.h"

namespace webnn::inline v0_1 {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> items;
  if (text.empty()) return items;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    std::string_view item = text.substr(at, end - at);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    items.push_back(item);
    at = end + 1;
  }
  return items;
}

std::string_view truncated(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  const auto continues = [&](std::size_t i) {
    return (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
  };
  std::size_t end = max_bytes;
  while (end > 0 && max_bytes - end < 3 && continues(end)) --end;
  return text.substr(0, continues(end) ? max_bytes : end);  // what is not UTF-8 is cut anywhere
}

std::string in_quotes(std::string_view name, std::size_t max_bytes) {
  const std::string_view beginning = truncated(name, max_bytes);
  return '"' + escaped(beginning) + (beginning.size() < name.size() ? "...\"" : "\"");
}

std::string name_and_label(std::string_view name, std::string_view label) {
  return std::string(name) + (label.empty() ? "" : " [" + escaped(label) + ']');
}

}  // namespace webnn::inline v0_1
