#include "src/formats/common/file_view.h"

#include <algorithm>
#include <cstdio>

#include "src/graph/text.h"

namespace webnn::inline v0_1::formats {

std::string view_shape(const MLOperand& x) {
  const auto dimensions = x.dimensions();
  if (!dimensions) return "of any rank";
  return '[' +
         joined(*dimensions, ", ",
                [](const MLDimension& d) {
                  return d.is_open() ? d.dynamic().name : std::to_string(d.size());
                }) +
         ']';
}

std::string view_shape(std::span<const std::int64_t> sizes) {
  return '[' +
         joined(sizes, ", ",
                [](std::int64_t d) { return d < 0 ? std::string("?") : std::to_string(d); }) +
         ']';
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string camel_case(std::string_view name) {
  static constexpr std::string_view words[] = {"LSTM", "RNN", "SVDF", "RFFT2D", "GELU", "2D", "3D"};
  std::string all;
  for (const std::string_view word : split(name, '_')) {
    if (std::ranges::find(words, word) != std::end(words)) {
      all += word;
      continue;
    }
    for (std::size_t i = 0; i < word.size(); ++i)
      all += i == 0 ? std::string(1, word[0]) : lower_case(word.substr(i, 1));
  }
  return all;
}

std::string view_number(double v) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", v);
  return text;
}

std::string without_part(std::string reason, const std::string& part) {
  if (reason.starts_with(part + ": ")) reason.erase(0, part.size() + 2);
  return reason;
}

MLContext view_context() { return MLContext({.threads = 1, .backends = {"reference"}}); }

}  // namespace webnn::inline v0_1::formats
