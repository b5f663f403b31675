#include "src/formats/text/lexer.h"

#include <algorithm>

#include "src/graph/text.h"

namespace webnn::inline v0_1::text {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool begins_identifier(char c) { return is_letter(c) || c == '_' || c == '/' || c == '$'; }
bool continues_identifier(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '/';
}

std::string string_value(std::string_view text, bool comment) {
  std::string s;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    const char next = i + 2 < text.size() ? text[i + 1] : ' ';
    if (text[i] != '\\') s += text[i];
    else if (next == '"' || next == '\\') s += text[++i];
    else if (comment && next == 'n') s += '\n', ++i;
    else if (comment && next == 'r') s += '\r', ++i;
    else s += text[i];
  }
  return s;
}

std::string string_literal(std::string_view text, bool comment) {
  std::string s = "\"";
  for (char c : text) {
    if (comment && c == '\n') s += "\\n";
    else if (comment && c == '\r') s += "\\r";
    else (s += c == '"' || c == '\\' ? "\\" : "") += c;
  }
  return s + '"';
}

Token Lexer::token(Token::Kind kind, std::size_t length) {
  Token t{kind, source_.text.substr(at_, length), at_};
  at_ += length;
  return t;
}

Token Lexer::number() {
  const std::string_view rest = source_.text.substr(at_);
  std::size_t n = 0;
  const auto digits = [&] {
    const std::size_t begin = n;
    while (n < rest.size() && is_digit(rest[n])) ++n;
    return n > begin;
  };
  if (rest[0] == '-') ++n;
  bool good = digits();
  if (good && n < rest.size() && rest[n] == '.') {
    ++n;
    good = digits();
  }
  if (good && n < rest.size() && (rest[n] == 'e' || rest[n] == 'E')) {
    ++n;
    if (n < rest.size() && (rest[n] == '+' || rest[n] == '-')) ++n;
    good = digits();
  }
  if (!good || (n < rest.size() && continues_identifier(rest[n])))
    source_.refuse(at_, fail("this is not a number"));
  return token(Token::Kind::number, n);
}

Token Lexer::string() {
  const std::string_view text = source_.text;
  for (std::size_t i = at_ + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
    else if (text[i] == '"') return token(Token::Kind::string, i + 1 - at_);
  }
  source_.refuse(at_, fail("the string does not end"));
}

Token Lexer::next() {
  const std::string_view text = source_.text;
  std::size_t lines = 0;
  for (; at_ < text.size() && is_space(text[at_]); ++at_) lines += text[at_] == '\n';
  const auto found = [&](Token t) {
    t.line_before = lines > 0;
    t.empty_before = lines > 1;
    return t;
  };
  if (at_ == text.size()) return found(token(Token::Kind::end, 0));
  const char c = text[at_];
  const std::string_view rest = text.substr(at_);
  // Some programs write comments as in C++; an identifier may begin with slashes too.
  if (c == '#' || (rest.substr(0, 2) == "//" && (rest.size() == 2 || is_space(rest[2])))) {
    std::size_t length = std::min(rest.find('\n'), rest.size());
    while (length > 0 && is_space(rest[length - 1])) --length;
    return found(token(Token::Kind::comment, length));
  }
  if (c == '"') return found(string());
  if (is_digit(c) || c == '-') return found(number());
  if (begins_identifier(c) || (c == '@' && rest.size() > 1 && is_letter(rest[1]))) {
    std::size_t length = 1;
    while (length < rest.size() && continues_identifier(rest[length])) ++length;
    return found(token(c == '@' ? Token::Kind::annotation : Token::Kind::identifier, length));
  }
  if (std::string_view("{}[]()=,:;").find(c) != std::string_view::npos)
    return found(token(Token::Kind::mark, 1));
  std::size_t length = 1;
  while (length < rest.size() && (rest[length] & 0xc0) == 0x80) ++length;
  source_.refuse(at_, fail("{} has no meaning here", in_quotes(rest.substr(0, length))));
}

}  // namespace webnn::inline v0_1::text
