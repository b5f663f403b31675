// The characters that GPT-2 gave to bytes: printable ones of Latin-1 are themselves, the others are
// U+0100 and what follows, in the order of the bytes.
#include <array>

#include "src/lm/tokenizer/parts.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

struct Alphabet {
  std::array<std::string, 256> text_of_byte{};
  std::array<int, 0x200> byte_of{};  // -1: of no byte

  Alphabet() {
    byte_of.fill(-1);
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
      const char32_t c = printable ? static_cast<char32_t>(byte) : next++;
      append(text_of_byte[static_cast<std::size_t>(byte)], c);
      byte_of[c] = byte;
    }
  }
};
const Alphabet& alphabet() {
  static const Alphabet all;
  return all;
}

}  // namespace

std::string to_byte_level(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) out += alphabet().text_of_byte[static_cast<unsigned char>(c)];
  return out;
}

std::optional<std::string> from_byte_level(std::string_view text) {
  std::string out;
  bool good = true;
  for_each_character(text, [&](char32_t c, std::string_view) {
    const int byte = c < alphabet().byte_of.size() ? alphabet().byte_of[c] : -1;
    good = good && byte >= 0;
    out += static_cast<char>(byte);
  });
  return good ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace webnn::inline v0_1::lm
