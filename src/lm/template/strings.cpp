#include "src/lm/template/strings.h"

#include <algorithm>

#include "src/lm/template/interpreter.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm::jinja {
namespace {

/// Each character at the beginning of a word, and the others.
std::string cased(std::string_view text, bool every_word) {
  std::string out;
  bool inside = false;
  for_each_character(text, [&](char32_t c, std::string_view) {
    if (inside) append_lower(out, c);
    else append_upper(out, c);
    inside = every_word ? is_letter(c) : true;
  });
  return out;
}

}  // namespace

std::string stripped(std::string_view text, const std::optional<std::string>& set, bool left,
                     bool right) {
  const auto goes = [&](const Character& c, std::string_view bytes) {
    return set ? set->find(bytes) != set->npos : is_white_space(c.value);
  };
  while (left && !text.empty()) {
    const Character c = character_at(text, 0);
    if (!goes(c, text.substr(0, c.length))) break;
    text.remove_prefix(c.length);
  }
  while (right && !text.empty()) {
    const Character c = last_character(text);
    if (!goes(c, text.substr(text.size() - c.length))) break;
    text.remove_suffix(c.length);
  }
  return std::string(text);
}

std::vector<std::string_view> split_by(std::string_view text, std::string_view separator,
                                       std::int64_t most, bool from_right) {
  std::vector<std::string_view> parts;
  const auto is_left = [&] { return most < 0 || static_cast<std::int64_t>(parts.size()) < most; };
  while (is_left()) {
    const std::size_t at = from_right ? text.rfind(separator) : text.find(separator);
    if (at == text.npos) break;
    const std::string_view before = text.substr(0, at), after = text.substr(at + separator.size());
    parts.push_back(from_right ? after : before);
    text = from_right ? before : after;
  }
  parts.push_back(text);
  if (from_right) std::ranges::reverse(parts);
  return parts;
}

std::vector<std::string_view> split_by_space(std::string_view text, std::int64_t most) {
  std::vector<std::string_view> parts;
  std::size_t at = 0;
  const auto skip = [&](bool space) {
    while (at < text.size() && is_white_space(character_at(text, at).value) == space)
      at += character_at(text, at).length;
  };
  for (skip(true); at < text.size(); skip(true)) {
    if (most >= 0 && static_cast<std::int64_t>(parts.size()) == most) {
      parts.push_back(text.substr(at));
      break;
    }
    const std::size_t begin = at;
    skip(false);
    parts.push_back(text.substr(begin, at - begin));
  }
  return parts;
}

std::string upper(std::string_view text) {
  std::string out;
  for_each_character(text, [&](char32_t c, std::string_view) { append_upper(out, c); });
  return out;
}
std::string lower(std::string_view text) {
  std::string out;
  for_each_character(text, [&](char32_t c, std::string_view) { append_lower(out, c); });
  return out;
}
std::string title(std::string_view text) { return cased(text, true); }
std::string capitalized(std::string_view text) { return cased(text, false); }

std::string replaced(Interpreter& interpreter, std::string_view text, std::string_view from,
                     std::string_view to, std::int64_t count) {
  std::string out;
  if (from.empty()) {  // between all characters
    for_each_character(text, [&](char32_t, std::string_view bytes) {
      interpreter.work(to.size());
      if (count != 0) out += to;
      if (count > 0) --count;
      out += bytes;
    });
    return count == 0 ? out : out.append(to);
  }
  while (count != 0) {
    const std::size_t at = text.find(from);
    if (at == text.npos) break;
    interpreter.work(to.size() + at);
    out += text.substr(0, at);
    out += to;
    text.remove_prefix(at + from.size());
    if (count > 0) --count;
  }
  return out.append(text);
}

}  // namespace webnn::inline v0_1::lm::jinja
