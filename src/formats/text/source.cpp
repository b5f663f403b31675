#include "src/formats/text/source.h"

#include <algorithm>

#include "src/graph/text.h"

namespace webnn::inline v0_1::text {
namespace {

/// How many characters of UTF-8 begin in a text.
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// The part of a line around a byte, and a mark below that byte.
std::string excerpt(std::string_view line, std::size_t at) {
  constexpr std::size_t before = 60, max_size = 100;
  std::size_t begin = at > before ? at - before : 0;
  while (begin > 0 && begin < line.size() && (line[begin] & 0xc0) == 0x80) --begin;
  const std::string shown = escaped(truncated(line.substr(begin), max_size));
  std::string mark = escaped(line.substr(begin, at - begin));
  return shown + "\n  " + std::string(characters(mark), ' ') + '^';
}

/// Tabs are one column wide here, and spaces at the beginning are left out.
std::string line_text(std::string_view line) {
  std::string s(line);
  std::replace(s.begin(), s.end(), '\t', ' ');
  return s;
}

}  // namespace

void Source::refuse(std::size_t offset, const Failure& failure) const {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t number =
      1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t begin = before.rfind('\n') + 1;  // 0 if there is none
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  const std::size_t column = 1 + characters(text.substr(begin, offset - begin));
  const std::string line = line_text(text.substr(begin, end - begin));
  const std::size_t spaces = std::min(line.find_first_not_of(' '), offset - begin);
  const std::string place = std::to_string(number) + ':' + std::to_string(column);
  raise({failure.message + "\n  " +
             excerpt(std::string_view(line).substr(spaces), offset - begin - spaces),
         ErrorName::DataError},
        "text", label.empty() ? place : label + ':' + place);
}

}  // namespace webnn::inline v0_1::text
