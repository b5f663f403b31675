// Small operations on text. Private.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace webnn::inline v0_1 {

/// text(part), by default the part itself, for one part after the other, with the separator between
/// them.
template <class Parts, class Text = std::identity>
std::string joined(const Parts& parts, std::string_view separator = ", ", Text text = {}) {
  std::string all;
  bool first = true;
  for (const auto& part : parts) {
    if (!first) all += separator;
    all += std::invoke(text, part);
    first = false;
  }
  return all;
}

/// The items of a list such as "a, b", without the spaces around them. An empty text has no items;
/// "a,,b" has three, of which one is empty.
std::vector<std::string_view> split(std::string_view text, char separator = ',');

/// The beginning of a text, of at most so many bytes. No character of UTF-8 is divided.
std::string_view truncated(std::string_view text, std::size_t max_bytes);

/// A name for a message: escaped, in quotes, and with "..." for what is beyond so many bytes.
std::string in_quotes(std::string_view name, std::size_t max_bytes = 80);

/// An operator in a message, with its label if it has one: "conv2d [stem]".
std::string name_and_label(std::string_view name, std::string_view label);
template <class Node> std::string name_and_label(const Node& node) {
  return name_and_label(node.name(), node.label());
}

}  // namespace webnn::inline v0_1
