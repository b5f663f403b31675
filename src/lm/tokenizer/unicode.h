// UTF-8 and the properties of characters. Private; unicode.cpp is the adapter of utf8proc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace webnn::inline v0_1::lm {

/// The text with U+FFFD for each longest part that is not UTF-8, as the WHATWG's decoder has it.
std::string valid_utf8(std::string_view text);

/// How many bytes at the beginning are whole characters or can no longer become one: what follows
/// is the beginning of a character.
std::size_t complete_utf8(std::string_view text);

struct Character {
  char32_t value = 0;
  std::size_t length = 0;  // in bytes
};
/// Of valid UTF-8, not at its end.
Character character_at(std::string_view text, std::size_t at);
/// Of valid UTF-8, not at its beginning: the last one.
Character last_character(std::string_view text);
void append(std::string& text, char32_t c);
/// 0 to 15; -1 for what is not a hexadecimal digit.
int hexadecimal(char c);

/// f(c, its bytes) for each character of valid UTF-8.
template <class F> void for_each_character(std::string_view text, F f) {
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    f(c.value, text.substr(at, c.length));
    at += c.length;
  }
}

enum class Form { nfc, nfd, nfkc, nfkd };
/// In n log n time, also for long runs of combining marks.
std::string normalized(std::string_view text, Form form);

bool is_white_space(char32_t c);  // Unicode's White_Space
bool is_punctuation(char32_t c);  // General_Category P
bool is_number(char32_t c);       // N
bool is_letter(char32_t c);       // L
bool is_mark(char32_t c);         // M
bool is_nonspacing_mark(char32_t c);
bool is_word(char32_t c);       // letters, marks, decimal digits, connectors
bool is_other(char32_t c);      // Cc, Cf, Co
bool is_ideograph(char32_t c);  // the blocks that BERT calls Chinese
/// Appends the lower case of c, which may be two characters.
void append_lower(std::string& text, char32_t c);
void append_upper(std::string& text, char32_t c);

}  // namespace webnn::inline v0_1::lm
