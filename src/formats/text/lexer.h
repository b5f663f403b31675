// The words of a .webnn text. Private.
#pragma once

#include "src/formats/text/source.h"

namespace webnn::inline v0_1::text {

struct Token {
  enum class Kind : std::uint8_t { end, identifier, number, string, annotation, mark, comment };

  Kind kind = Kind::end;
  std::string_view text{};  ///< what is written: with quotes, with `@`, with `#`
  std::size_t offset = 0;
  bool line_before = false;   ///< whether a line ends between the token before and this one
  bool empty_before = false;  ///< whether an empty line is between them

  bool is(char mark) const { return kind == Kind::mark && text[0] == mark; }
  bool is(std::string_view word) const { return text == word; }
};

class Lexer {
 public:
  explicit Lexer(const Source& source, std::size_t offset = 0) : source_(source), at_(offset) {}

  /// Comments too. Refuses the text for what is not a word of the format.
  Token next();

 private:
  Token token(Token::Kind kind, std::size_t length);
  Token number();
  Token string();

  const Source& source_;
  std::size_t at_;
};

/// A string without its quotes and escapes, and back. Only comments, which are one line, have an
/// escape for the end of a line.
std::string string_value(std::string_view text, bool comment = false);
std::string string_literal(std::string_view text, bool comment = false);

bool begins_identifier(char c);
bool continues_identifier(char c);

}  // namespace webnn::inline v0_1::text
