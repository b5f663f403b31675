#include "src/lm/template/lexer.h"

#include <algorithm>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm::jinja {

void refuse(std::string_view message, std::size_t line, std::string_view label) {
  raise({"line " + std::to_string(line) + ": " + std::string(message), ErrorName::DataError},
        "chat_template", label);
}

namespace {

constexpr std::string_view spaces = " \t\r\n\v\f";
// Longer signs come first.
constexpr std::string_view signs[] = {"**", "//", "==", "!=", "<=", ">=", "+", "-", "*",
                                      "/",  "%",  "~",  "<",  ">",  "=",  "(", ")", "[",
                                      "]",  "{",  "}",  ",",  ":",  ".",  "|"};

bool is_name_begin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view label) : text_(text), label_(label) {
    if (text_.ends_with('\n')) text_.remove_suffix(1);
  }

  std::vector<Lexeme> run() {
    while (at_ < text_.size()) {
      const std::size_t tag = next_tag(at_);
      add_text(tag);
      if (tag == text_.npos) break;
      at_ = tag;
      const char kind = text_[tag + 1];
      at_ += 2;
      if (rest().starts_with('-') || rest().starts_with('+')) ++at_;
      if (kind == '#') skip_comment();
      else read_tag(kind);
    }
    add(Lexeme::Kind::end, {});
    return std::move(out_);
  }

 private:
  std::string_view rest() const { return text_.substr(std::min(at_, text_.size())); }
  std::size_t line_of(std::size_t at) {
    line_ +=
        static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                            text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted_ = at;
    return line_;
  }
  void add(Lexeme::Kind kind, std::string text) {
    out_.push_back({kind, std::move(text), line_of(std::min(at_, text_.size()))});
  }
  [[noreturn]] void stop(std::string_view message) {
    refuse(message, line_of(std::min(at_, text_.size())), label_);
  }

  std::size_t next_tag(std::size_t from) const {
    for (std::size_t at = text_.find('{', from); at != text_.npos; at = text_.find('{', at + 1))
      if (const std::string_view after = text_.substr(at + 1);
          after.starts_with('%') || after.starts_with('{') || after.starts_with('#'))
        return at;
    return text_.npos;
  }

  /// The text up to a tag, without the spaces that the tags on both sides drop.
  void add_text(std::size_t tag) {
    std::string_view part = text_.substr(at_, tag == text_.npos ? tag : tag - at_);
    if (drop_all_) part.remove_prefix(std::min(part.find_first_not_of(spaces), part.size()));
    else if (drop_line_ && part.starts_with("\r\n")) part.remove_prefix(2);
    else if (drop_line_ && part.starts_with('\n')) part.remove_prefix(1);
    if (tag != text_.npos) {
      const std::string_view after = text_.substr(tag + 2);
      if (after.starts_with('-')) {
        part = part.substr(0, part.find_last_not_of(spaces) + 1);
      } else if (text_[tag + 1] != '{' && !after.starts_with('+')) {
        // Spaces between the beginning of the line and a block.
        const std::size_t last = part.find_last_not_of(" \t");
        const std::size_t keep = last == part.npos ? 0 : last + 1;
        const bool at_begin = keep == 0
                                  ? tag - part.size() == 0 || text_[tag - part.size() - 1] == '\n'
                                  : part[keep - 1] == '\n';
        if (at_begin) part = part.substr(0, keep);
      }
    }
    if (!part.empty()) add(Lexeme::Kind::text, std::string(part));
  }

  /// At a tag's end: whether it drops what follows.
  void end_tag(char sign, bool is_block) {
    drop_all_ = sign == '-';
    drop_line_ = is_block && sign != '+';
  }

  void skip_comment() {
    const std::size_t end = text_.find("#}", at_);
    if (end == text_.npos) stop("the comment has no end");
    end_tag(end > at_ ? text_[end - 1] : ' ', true);
    at_ = end + 2;
  }

  void read_tag(char kind) {
    const bool is_block = kind == '%';
    add(is_block ? Lexeme::Kind::begin_block : Lexeme::Kind::begin_print, {});
    const std::string_view end = is_block ? "%}" : "}}";
    std::size_t braces = 0;
    for (;;) {
      at_ += std::min(rest().find_first_not_of(spaces), rest().size());
      if (at_ >= text_.size()) stop("the tag has no end");
      const char first = text_[at_];
      const bool has_sign =
          (first == '-' || (first == '+' && is_block)) && rest().substr(1).starts_with(end);
      if (braces == 0 && (has_sign || rest().starts_with(end))) {
        add(is_block ? Lexeme::Kind::end_block : Lexeme::Kind::end_print, {});
        end_tag(has_sign ? first : ' ', is_block);
        at_ += has_sign ? 3 : 2;
        break;
      }
      read_one(braces);
    }
    if (is_block) skip_raw();
  }

  void read_one(std::size_t& braces) {
    const char c = text_[at_];
    if (c == '"' || c == '\'') return read_string(c);
    if (is_name_begin(c)) {
      std::size_t end = at_;
      while (end < text_.size() && (is_name_begin(text_[end]) || is_digit(text_[end]))) ++end;
      add(Lexeme::Kind::name, std::string(text_.substr(at_, end - at_)));
      at_ = end;
      return;
    }
    if (is_digit(c)) return read_number();
    for (const std::string_view sign : signs)
      if (rest().starts_with(sign)) {
        if (sign == "{") ++braces;
        if (sign == "}" && braces > 0) --braces;
        add(Lexeme::Kind::sign, std::string(sign));
        at_ += sign.size();
        return;
      }
    stop("the character " + in_quotes(text_.substr(at_, character_at(text_, at_).length)) +
         " is not expected");
  }

  void read_number() {
    std::size_t end = at_;
    bool is_float = false;
    while (end < text_.size() && (is_digit(text_[end]) || text_[end] == '_')) ++end;
    if (end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1])) {
      is_float = true;
      do ++end;
      while (end < text_.size() && is_digit(text_[end]));
    }
    std::size_t exponent = end;
    if (exponent < text_.size() && (text_[exponent] == 'e' || text_[exponent] == 'E')) {
      ++exponent;
      if (exponent < text_.size() && (text_[exponent] == '-' || text_[exponent] == '+')) ++exponent;
      const std::size_t digits = exponent;
      while (exponent < text_.size() && is_digit(text_[exponent])) ++exponent;
      if (exponent > digits) {
        is_float = true;
        end = exponent;
      }
    }
    std::string number(text_.substr(at_, end - at_));
    std::erase(number, '_');
    add(is_float ? Lexeme::Kind::floating : Lexeme::Kind::integer, std::move(number));
    at_ = end;
  }

  void read_string(char quote) {
    std::string value;
    std::size_t at = at_ + 1;
    for (; at < text_.size() && text_[at] != quote; ++at) {
      if (text_[at] != '\\' || at + 1 == text_.size()) {
        value += text_[at];
        continue;
      }
      switch (const char c = text_[++at]) {
        case 'n': value += '\n'; break;
        case 't': value += '\t'; break;
        case 'r': value += '\r'; break;
        case 'b': value += '\b'; break;
        case 'f': value += '\f'; break;
        case 'v': value += '\v'; break;
        case 'x': at = append_code(value, at, 2); break;
        case 'u': at = append_code(value, at, 4); break;
        case '\\':
        case '\'':
        case '"': value += c; break;
        default: (value += '\\') += c; break;
      }
    }
    if (at == text_.size()) stop("the string has no end");
    add(Lexeme::Kind::string, std::move(value));
    at_ = at + 1;
  }
  /// The character of \x0a or \u00e9 and the place of its last digit.
  std::size_t append_code(std::string& value, std::size_t at, std::size_t digits) {
    char32_t c = 0;
    for (std::size_t i = 1; i <= digits; ++i) {
      constexpr std::string_view hex = "0123456789abcdef0123456789ABCDEF";
      const std::size_t digit = at + i < text_.size() ? hex.find(text_[at + i]) : hex.npos;
      if (digit == hex.npos) stop("an escape has no hexadecimal digits");
      c = c << 4 | static_cast<char32_t>(digit % 16);
    }
    if (c >= 0xd800 && c < 0xe000) c = 0xfffd;
    append(value, c);
    return at + digits;
  }

  /// Behind {% raw %}: the text up to {% endraw %}.
  void skip_raw() {
    const std::size_t n = out_.size();
    if (n < 3 || out_[n - 2].kind != Lexeme::Kind::name || out_[n - 2].text != "raw" ||
        out_[n - 3].kind != Lexeme::Kind::begin_block)
      return;
    out_.resize(n - 3);
    for (std::size_t tag = text_.find("{%", at_); tag != text_.npos;
         tag = text_.find("{%", tag + 2)) {
      std::string_view word = text_.substr(tag + 2);
      if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
      word.remove_prefix(std::min(word.find_first_not_of(spaces), word.size()));
      if (!word.starts_with("endraw")) continue;
      add_text(tag);
      at_ = text_.find("%}", tag);
      if (at_ == text_.npos) break;
      end_tag(text_[at_ - 1], true);
      at_ += 2;
      return;
    }
    at_ = text_.size();
    stop("raw has no endraw");
  }

  std::string_view text_, label_;
  std::size_t at_ = 0, counted_ = 0, line_ = 1;
  bool drop_all_ = false, drop_line_ = false;
  std::vector<Lexeme> out_{};
};

}  // namespace

std::vector<Lexeme> lexemes_of(std::string_view text, std::string_view label) {
  return Lexer(text, label).run();
}

}  // namespace webnn::inline v0_1::lm::jinja
