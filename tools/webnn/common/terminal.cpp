#include "tools/webnn/common/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace webnn::inline v0_1::tool {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : std::string_view();
}

bool shows_color(int descriptor) {
  return isatty(descriptor) && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::string_view sequence(Style style) {
  switch (style) {
    case Style::strong: return "\x1b[1m";
    case Style::good: return "\x1b[32m";
    case Style::bad: return "\x1b[31m";
    case Style::faint: return "\x1b[2m";
  }
  return "";
}

/// The words of a line, after `first` and with `indent` before each further line.
std::string lines_of(std::string first, std::string_view words, std::size_t indent,
                     std::size_t width) {
  std::string all, line = std::move(first);
  bool empty = true;  // no word in the line yet
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word.empty()) continue;
    if (!empty && line.size() + 1 + word.size() > width) {
      all += line + '\n';
      line = std::string(indent, ' ');
      empty = true;
    }
    line += empty ? "" : " ";
    line += word;
    empty = false;
  }
  return all + line;
}

/// Where the descriptions of options begin, as make_tree() sets it.
constexpr std::size_t column = 34, narrow_column = 6, least_description = 24;

std::string wrapped_line(std::string_view line, std::size_t width) {
  const std::size_t text = line.find_first_not_of(' ');
  if (line.size() <= width || text == std::string_view::npos) return std::string(line);
  const bool described = text >= 2 && line.size() > column && line[column - 1] == ' ' &&
                         line[column] != ' ' && (text == 2 || text == column);
  if (!described) {
    if (text > 0) return std::string(line);  // an example, a row of a table
    return lines_of("", line, 0, width);
  }
  const std::string_view words = line.substr(column);
  if (width >= column + least_description)
    return lines_of(std::string(line.substr(0, column)), words, column, width);
  std::string name(line.substr(0, column));
  name.erase(name.find_last_not_of(' ') + 1);
  return (name.empty() ? "" : name + '\n') +
         lines_of(std::string(narrow_column, ' '), words, narrow_column, width);
}

}  // namespace

std::string styled(std::string_view text, Style style, int descriptor) {
  if (text.empty() || !shows_color(descriptor)) return std::string(text);
  return std::string(sequence(style)) + std::string(text) + "\x1b[0m";
}

std::size_t terminal_width() {
  const std::string_view columns = variable("COLUMNS");
  std::size_t n = 0;
  const auto [end, error] = std::from_chars(columns.data(), columns.data() + columns.size(), n);
  if (error == std::errc() && end == columns.data() + columns.size() && n > 0) return n;
  winsize size{};
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
  return 0;
}

std::string wrapped(std::string_view help, std::size_t width) {
  if (width == 0) return std::string(help);
  width = std::max<std::size_t>(width, 2 * narrow_column);
  std::string all;
  while (!help.empty()) {
    const std::size_t end = std::min(help.find('\n'), help.size());
    all += wrapped_line(help.substr(0, end), width);
    if (end < help.size()) all += '\n';
    help.remove_prefix(std::min(end + 1, help.size()));
  }
  return all;
}

}  // namespace webnn::inline v0_1::tool
