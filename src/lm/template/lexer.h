// The text of a template in parts. Private.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace webnn::inline v0_1::lm::jinja {

struct Lexeme {
  enum class Kind {
    text,         // outside of tags
    begin_block,  // {%
    end_block,    // %}
    begin_print,  // {{
    end_print,    // }}
    name,
    string,
    integer,
    floating,
    sign,  // an operator or a bracket
    end    // of the template
  };
  Kind kind = Kind::end;
  std::string text{};  // a string without quotes and escapes
  std::size_t line = 1;
};

/// Ends with one of kind `end`. Line breaks after blocks and spaces before them are left out.
/// Throws DataError.
std::vector<Lexeme> lexemes_of(std::string_view text, std::string_view label);

/// Throws DataError with the line.
[[noreturn]] void refuse(std::string_view message, std::size_t line, std::string_view label);

}  // namespace webnn::inline v0_1::lm::jinja
