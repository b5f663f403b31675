#include "src/lm/tokenizer/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace webnn::inline v0_1::lm {
namespace {

bool in(unsigned char c, unsigned char first, unsigned char last) {
  return c >= first && c <= last;
}

/// The bytes at `at` that are a character (whole) or the longest beginning of one, at least one.
struct Sequence {
  std::size_t length = 1;
  bool whole = false, open = false;  // open: the text ends where the character could go on
};
Sequence sequence_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, true};
  const std::size_t size = in(first, 0xc2, 0xdf)   ? 2
                           : in(first, 0xe0, 0xef) ? 3
                           : in(first, 0xf0, 0xf4) ? 4
                                                   : 0;
  if (size == 0) return {};
  const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  for (std::size_t i = 1; i < size; ++i) {
    if (at + i == text.size()) return {i, false, true};
    if (!in(byte(i), i == 1 ? low : 0x80, i == 1 ? high : 0xbf)) return {i};
  }
  return {size, true};
}

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}
bool is_category(char32_t c, utf8proc_category_t first, utf8proc_category_t last) {
  const utf8proc_category_t is = category(c);
  return is >= first && is <= last;
}

utf8proc_propval_t combining_class(utf8proc_int32_t c) {
  return utf8proc_get_property(c)->combining_class;
}

/// utf8proc_decompose() sorts marks in quadratic time.
std::vector<utf8proc_int32_t> decomposed(std::string_view text, bool compatible) {
  constexpr int room = 32;  // the longest decomposition has 18 characters
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
                                                      (compatible ? UTF8PROC_COMPAT : 0));
  std::vector<utf8proc_int32_t> out;
  out.reserve(text.size());
  for_each_character(text, [&](char32_t c, std::string_view) {
    utf8proc_int32_t parts[room];
    int boundary = 0;
    const auto count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, room, options, &boundary);
    if (count < 0 || count > room) throw std::logic_error("a decomposition");
    out.insert(out.end(), parts, parts + count);
  });
  for (auto at = out.begin(); at != out.end();) {
    const auto is_starter = [](utf8proc_int32_t c) { return combining_class(c) == 0; };
    const auto first = std::find_if_not(at, out.end(), is_starter);
    at = std::find_if(first, out.end(), is_starter);
    std::stable_sort(first, at, [](utf8proc_int32_t a, utf8proc_int32_t b) {
      return combining_class(a) < combining_class(b);
    });
  }
  return out;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Sequence s = sequence_at(text, at);
    if (s.whole) out += text.substr(at, s.length);
    else out += "\xef\xbf\xbd";
    at += s.length;
  }
  return out;
}

std::size_t complete_utf8(std::string_view text) {
  for (std::size_t at = text.size() - std::min<std::size_t>(text.size(), 3); at < text.size(); ++at)
    if (sequence_at(text, at).open) return at;
  return text.size();
}

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[at + i]));
  };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xe0) return {(first & 31) << 6 | (byte(1) & 63), 2};
  if (first < 0xf0) return {(first & 15) << 12 | (byte(1) & 63) << 6 | (byte(2) & 63), 3};
  return {(first & 7) << 18 | (byte(1) & 63) << 12 | (byte(2) & 63) << 6 | (byte(3) & 63), 4};
}

Character last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return character_at(text, at);
}

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

void append(std::string& text, char32_t c) {
  utf8proc_uint8_t bytes[4];
  const auto count = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
}

std::string normalized(std::string_view text, Form form) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return std::string(text);
  auto characters = decomposed(text, form == Form::nfkc || form == Form::nfkd);
  if (form == Form::nfc || form == Form::nfkc) {
    const auto count = utf8proc_normalize_utf32(
        characters.data(), static_cast<utf8proc_ssize_t>(characters.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    if (count < 0) throw std::logic_error("a composition");
    characters.resize(static_cast<std::size_t>(count));
  }
  std::string out;
  out.reserve(text.size());
  for (const utf8proc_int32_t c : characters) append(out, static_cast<char32_t>(c));
  return out;
}

bool is_white_space(char32_t c) {
  return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}
bool is_punctuation(char32_t c) {
  return is_category(c, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO);
}
bool is_number(char32_t c) { return is_category(c, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO); }
bool is_letter(char32_t c) { return is_category(c, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO); }
bool is_mark(char32_t c) { return is_category(c, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME); }
bool is_nonspacing_mark(char32_t c) { return category(c) == UTF8PROC_CATEGORY_MN; }
bool is_word(char32_t c) {
  return is_letter(c) || is_mark(c) || category(c) == UTF8PROC_CATEGORY_ND ||
         category(c) == UTF8PROC_CATEGORY_PC;
}
bool is_other(char32_t c) {
  const utf8proc_category_t is = category(c);
  return is == UTF8PROC_CATEGORY_CC || is == UTF8PROC_CATEGORY_CF || is == UTF8PROC_CATEGORY_CO;
}
bool is_ideograph(char32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) ||
         (c >= 0x20000 && c <= 0x2a6df) || (c >= 0x2a700 && c <= 0x2b73f) ||
         (c >= 0x2b740 && c <= 0x2b81f) || (c >= 0x2b920 && c <= 0x2ceaf) ||
         (c >= 0xf900 && c <= 0xfaff) || (c >= 0x2f800 && c <= 0x2fa1f);
}

void append_lower(std::string& text, char32_t c) {
  if (c == 0x130) {  // the only character whose lower case is two in every language
    append(text, 'i');
    append(text, 0x307);
    return;
  }
  append(text, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
}

void append_upper(std::string& text, char32_t c) {
  if (c == 0xdf) text += "SS";
  else append(text, static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c))));
}

}  // namespace webnn::inline v0_1::lm
