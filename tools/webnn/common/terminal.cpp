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

Colors chosen = Colors::automatic;

bool shows_color(int descriptor) {
  if (chosen != Colors::automatic) return chosen == Colors::always;
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

/// Where the word at the start of a text ends. Spaces between quotes do not end it.
std::size_t word_end(std::string_view words) {
  char quote = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (quote ? words[i] == quote : words[i] == '"' || words[i] == '\'')
      quote = quote ? '\0' : words[i];
    else if (words[i] == ' ' && !quote) return i;
  }
  return words.size();
}

/// A line of an example, which goes on in the next one after a backslash.
std::string example_lines(std::string_view line, std::size_t width) {
  std::string all, current;
  for (std::string_view left = line.substr(2); !left.empty();) {
    const std::size_t end = word_end(left);
    const std::string_view word = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    const std::size_t room = width - (left.empty() ? 0 : 2);  // for the backslash
    if (!current.empty() && current.size() + 1 + word.size() > room) {
      all += current + " \\\n";
      current = "     ";  // and the space before the word
    }
    current += current.empty() ? "  " : " ";
    current += word;
  }
  return all + current;
}

/// The name of an option with its values, as in --accuracy LEVEL:{float32,int8}, in several lines.
std::string name_lines(std::string_view name, std::size_t indent, std::size_t width) {
  std::string all, start;  // start: the spaces before a further line
  while (start.size() + name.size() > width) {
    const std::size_t end = name.substr(0, width - start.size()).find_last_of(",= ");
    if (end == std::string_view::npos || end < name.find_first_not_of(' ')) break;
    all += start + std::string(name.substr(0, end + (name[end] != ' '))) + '\n';
    start.assign(indent, ' ');
    name.remove_prefix(end + 1);
  }
  return all + start + std::string(name);
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

std::string wrapped_line(std::string_view line, std::size_t width);

/// A line whose last column begins at `at`: it stays there if there is room for it.
std::string described_line(std::string_view line, std::size_t at, std::size_t width) {
  const std::string_view words = line.substr(at);
  if (width >= at + least_description)
    return lines_of(std::string(line.substr(0, at)), words, at, width);
  std::string_view name = line.substr(0, at);
  name = name.substr(0, name.find_last_not_of(' ') + 1);
  return (name.empty() ? "" : wrapped_line(name, width) + '\n') +
         lines_of(std::string(narrow_column, ' '), words, narrow_column, width);
}

std::string wrapped_line(std::string_view line, std::size_t width) {
  const std::size_t text = line.find_first_not_of(' ');
  if (line.size() <= width || text == std::string_view::npos) return std::string(line);
  if (text == 0) return lines_of("", line, 0, width);
  if (text == 2 || text == column) {
    if (line.size() > column && line[column - 1] == ' ' && line[column] != ' ')
      return described_line(line, column, width);
    const std::size_t gap = line.rfind("  ");  // before the last column of a table
    if (gap != std::string_view::npos && gap > text) return described_line(line, gap + 2, width);
    return name_lines(line, narrow_column, width);
  }
  return std::string(line);
}

}  // namespace

void set_colors(Colors colors) { chosen = colors; }

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
  for (bool examples = false; !help.empty();) {
    const std::size_t end = std::min(help.find('\n'), help.size());
    std::string_view line = help.substr(0, end);
    line = line.substr(0, line.find_last_not_of(' ') + 1);  // CLI11 2.4 ends some with a space
    if (!line.starts_with(' ')) examples = line == "Examples:";
    all += examples && line.size() > width && line.starts_with("  ") ? example_lines(line, width)
                                                                     : wrapped_line(line, width);
    if (end < help.size()) all += '\n';
    help.remove_prefix(std::min(end + 1, help.size()));
  }
  return all;
}

}  // namespace webnn::inline v0_1::tool
