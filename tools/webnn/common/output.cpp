#include "tools/webnn/common/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "src/graph/text.h"
#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/terminal.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::tool {
namespace {

/// How many columns a text takes: its characters, which in UTF-8 may be of several bytes, without
/// the sequences that color it.
std::size_t width_of(std::string_view s) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\x1b') i = std::min(s.find('m', i), s.size());
    else n += (static_cast<unsigned char>(s[i]) & 0xc0) != 0x80;
  }
  return n;
}

std::string scaled(double v, double step, std::initializer_list<const char*> units) {
  auto unit = units.begin();
  while (std::abs(v) >= step && unit + 1 != units.end()) {
    v /= step;
    ++unit;
  }
  return unit == units.begin() ? fmt::format("{:.0f} {}", v, *unit)
                               : fmt::format("{:.2f} {}", v, *unit);
}

}  // namespace

std::string reason_of(int error) {
  return error ? ": " + std::generic_category().message(error) : "";
}

void print(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw CommandError("the standard output cannot be written" + reason_of(errno));
}

void flush_output() {
  const bool lost = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !lost) return;
  throw CommandError("the standard output cannot be written" + reason_of(errno));
}

std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', true, Json::error_handler_t::replace);
}
void print_json(const Json& json) { print(text_of(json) + '\n'); }

void print_error(std::string_view message) {
  const std::string line =
      fmt::format("{} {}\n", styled("webnn:", Style::bad, fileno(stderr)), message);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string Table::text(std::string_view indent) const {
  std::vector<std::size_t> widths;
  const auto content = [](const std::string& cell) {
    return std::string_view(cell).substr(!cell.empty() && cell[0] == '>' ? 1 : 0);
  };
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width_of(content(row[i])));
  }
  std::string s;
  for (const auto& row : rows_) {
    const bool head = &row == &rows_.front();
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string_view cell = content(row[i]);
      const std::string gap(widths[i] - width_of(cell), ' ');
      const bool right = !row[i].empty() && row[i][0] == '>';
      line += i ? "  " : "";
      const std::string text = head ? styled(cell, Style::strong) : std::string(cell);
      line += right ? gap + text : text + gap;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    s += line + '\n';
  }
  return s;
}

std::string type_text(const MLOperandDescriptor& d) {
  return std::string(webnn::name_of(d.dataType)) + ' ' + detail::Arg(std::span(d.shape)).text;
}
Json json_of(const MLOperandDescriptor& d) {
  return {{"type", webnn::name_of(d.dataType)}, {"shape", d.shape}};
}
std::string type_text(const MLOperand& x) {
  const auto dimensions = x.dimensions();
  if (!dimensions) return std::string(webnn::name_of(x.dataType())) + " of any rank";
  return std::string(webnn::name_of(x.dataType())) + " [" +
         joined(*dimensions, ", ",
                [](const MLDimension& d) {
                  return d.is_open() ? escaped(d.dynamic().name) : std::to_string(d.size());
                }) +
         ']';
}
Json json_of(const MLOperand& x) {
  Json shape;  // null for one of any rank
  if (const auto dimensions = x.dimensions()) {
    shape = Json::array();
    for (const MLDimension& d : *dimensions)
      shape.push_back(d.is_open() ? Json(d.dynamic().name) : Json(d.size()));
  }
  return {{"type", webnn::name_of(x.dataType())}, {"shape", std::move(shape)}};
}
std::string bytes_text(double bytes) { return scaled(bytes, 1000, {"B", "kB", "MB", "GB", "TB"}); }
std::string count_text(double count) {
  std::string s = scaled(count, 1000, {"", "K", "M", "G", "T"});
  if (s.back() == ' ') s.pop_back();
  return s;
}
std::string number_text(double value) { return fmt::format("{:.5g}", value); }

std::string shortened(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::size_t at = text.size(), kept = 0;  // whole characters, from the end
  while (kept + 2 < width) kept += (static_cast<unsigned char>(text[--at]) & 0xc0) != 0x80;
  return ".." + text.substr(at);
}

std::string name_of(const Graph& graph, std::size_t i) {
  const Node node = graph.node(i);
  if (!node.label().empty()) return escaped(node.label());
  return fmt::format("{} {}", node.name(), i);
}

}  // namespace webnn::inline v0_1::tool
