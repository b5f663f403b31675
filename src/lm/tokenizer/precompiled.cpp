// SentencePiece's table of replacements: its size, a double-array trie of 32-bit units, and the
// replacements, each with a zero byte at its end.
#include <algorithm>
#include <cstring>
#include <memory>

#include "src/graph/failure.h"
#include "src/lm/tokenizer/parts.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr std::size_t max_key = 64;  // in bytes; longer ones are not looked for

struct Table {
  std::vector<std::uint32_t> units{};
  std::string replacements{};

  static std::size_t offset_of(std::uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }
  /// The longest key that the text begins with, and its replacement; length 0 where there is none.
  struct Found {
    std::size_t length = 0;
    const char* to = nullptr;
  };
  Found find(std::string_view text) const {
    Found found;
    std::size_t at = offset_of(units[0]);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      at ^= byte;
      if (byte == 0 || at >= units.size() || (units[at] & 0x800000ff) != byte) break;
      const std::uint32_t unit = units[at];
      at ^= offset_of(unit);
      const bool has_value = unit >> 8 & 1;
      if (!has_value || at >= units.size()) continue;
      if (const char* to = replacement(units[at] & 0x7fffffff)) found = {i + 1, to};
    }
    return found;
  }
  /// Nothing for a place beyond the end. The last replacement also ends with a zero byte.
  const char* replacement(std::size_t at) const {
    return at < replacements.size() ? replacements.data() + at : nullptr;
  }
};

std::string replaced(const Table& table, std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_at(text, at).length;
    const Table::Found found = table.find(text.substr(at, max_key));
    if (found.length > 0) out += found.to;
    else out += text.substr(at, length);
    at += std::max(length, found.length);
  }
  return out;
}

}  // namespace

Result<Normalizer> normalizers::precompiled(std::string bytes) {
  std::uint32_t size = 0;
  if (bytes.size() < 4) return fail("the table of replacements has {} bytes", bytes.size());
  std::memcpy(&size, bytes.data(), 4);
  if (size < 4 || size % 4 != 0 || size > bytes.size() - 4)
    return fail("the trie of the table of replacements has {} of {} bytes", size, bytes.size() - 4);
  auto table = std::make_shared<Table>();
  table->units.resize(size / 4);
  std::memcpy(table->units.data(), bytes.data() + 4, size);
  table->replacements = bytes.substr(4 + size);
  if (!table->replacements.empty() && table->replacements.back() != '\0')
    return fail("the table of replacements does not end with a zero byte");
  if (valid_utf8(table->replacements) != table->replacements)
    return fail("the table of replacements is not UTF-8");
  return Normalizer([table](std::string text) { return replaced(*table, text); });
}

}  // namespace webnn::inline v0_1::lm
