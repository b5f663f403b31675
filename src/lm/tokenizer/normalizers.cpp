#include <algorithm>

#include "src/lm/tokenizer/parts.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm::normalizers {
namespace {

/// The text with other characters: f(out, c, its bytes) appends them.
template <class F> std::string mapped(std::string_view text, F f) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](char32_t c, std::string_view bytes) { f(out, c, bytes); });
  return out;
}

std::string clean(std::string_view text) {
  return mapped(text, [](std::string& out, char32_t c, std::string_view bytes) {
    const bool is_space = is_white_space(c);
    const bool is_line = c == '\t' || c == '\n' || c == '\r';
    if (c == 0 || c == 0xfffd || (is_other(c) && !is_line)) return;
    if (is_space) out += ' ';
    else out += bytes;
  });
}

Normalizer form(Form f) {
  return [f](std::string text) { return normalized(text, f); };
}

}  // namespace

Normalizer sequence(std::vector<Normalizer> all) {
  return [all = std::move(all)](std::string text) {
    for (const Normalizer& one : all) text = one(std::move(text));
    return text;
  };
}

Normalizer nfc() { return form(Form::nfc); }
Normalizer nfd() { return form(Form::nfd); }
Normalizer nfkc() { return form(Form::nfkc); }
Normalizer nfkd() { return form(Form::nfkd); }

Normalizer lowercase() {
  return [](std::string text) {
    return mapped(text,
                  [](std::string& out, char32_t c, std::string_view) { append_lower(out, c); });
  };
}

Normalizer strip(bool left, bool right) {
  return [=](std::string text) {
    std::string_view rest = text;
    while (left && !rest.empty() && is_white_space(character_at(rest, 0).value))
      rest.remove_prefix(character_at(rest, 0).length);
    while (right && !rest.empty() && is_white_space(last_character(rest).value))
      rest.remove_suffix(last_character(rest).length);
    return std::string(rest);
  };
}

Normalizer strip_accents() {
  return [](std::string text) {
    return mapped(text, [](std::string& out, char32_t c, std::string_view bytes) {
      if (!is_nonspacing_mark(c)) out += bytes;
    });
  };
}

Normalizer prepend(std::string prefix) {
  return [prefix = std::move(prefix)](std::string text) {
    return text.empty() ? text : prefix + text;
  };
}

Normalizer replace(std::string from, std::string to) {
  return [from = std::move(from), to = std::move(to)](std::string text) {
    if (from.empty()) return text;
    std::string out;
    std::size_t at = 0;
    for (std::size_t next; (next = text.find(from, at)) != text.npos; at = next + from.size()) {
      out.append(text, at, next - at);
      out += to;
    }
    return out.append(text, at);
  };
}

Normalizer replace(Regex pattern, std::string to) {
  return [pattern = std::move(pattern), to = std::move(to)](std::string text) {
    std::string out;
    std::size_t at = 0;
    for (const Range& match : pattern.matches(text)) {
      out.append(text, at, match.begin - at);
      out += to;
      at = match.end;
    }
    return out.append(text, at);
  };
}

Normalizer bert(const BertOptions& options) {
  return [options](std::string text) {
    if (options.clean_text) text = clean(text);
    if (options.spaces_around_ideographs)
      text = mapped(text, [](std::string& out, char32_t c, std::string_view bytes) {
        if (!is_ideograph(c)) out += bytes;
        else (out += ' ').append(bytes) += ' ';
      });
    if (options.strip_accents) text = strip_accents()(normalized(text, Form::nfd));
    if (options.lowercase) text = lowercase()(std::move(text));
    return text;
  };
}

}  // namespace webnn::inline v0_1::lm::normalizers
