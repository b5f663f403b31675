#include <cstring>
#include <random>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/tokenizer/model.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr std::size_t max_text = 4096, max_holes = 1'000'000;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

std::size_t TextHash::operator()(std::string_view text) const {
  static const std::uint64_t seed[] = {std::random_device()() * 0x9e3779b97f4a7c15u | 1,
                                       std::random_device()() * 0xd6e8feb86659fd93u | 1};
  std::uint64_t hash = seed[0] ^ text.size();
  while (!text.empty()) {
    std::uint64_t part = 0;
    const std::size_t length = std::min<std::size_t>(text.size(), 8);
    std::memcpy(&part, text.data(), length);
    hash = mixed(hash ^ part, seed[1] ^ 0xa0761d6478bd642fu) + seed[0];
    text.remove_prefix(length);
  }
  return static_cast<std::size_t>(mixed(hash, 0xe7037ed1a0b428dbu));
}

Result<Vocabulary> Vocabulary::of(std::vector<Entry> entries) {
  const std::size_t limit = entries.size() * 2 + max_holes;
  Token greatest = -1;
  for (const Entry& e : entries) {
    if (e.token < 0 || static_cast<std::size_t>(e.token) >= limit)
      return fail("the token {} of {} is not between 0 and {}", e.token, in_quotes(e.text), limit);
    if (e.text.size() > max_text)
      return fail("the text of token {} has {} bytes, more than {}", e.token, e.text.size(),
                  max_text);
    greatest = std::max(greatest, e.token);
  }
  Vocabulary v;
  v.texts_.resize(static_cast<std::size_t>(greatest + 1));
  v.has_.resize(v.texts_.size());
  v.tokens_.reserve(entries.size());
  for (Entry& e : entries) {
    const auto at = static_cast<std::size_t>(e.token);
    if (v.has_[at])
      return fail("token {} is both {} and {}", e.token, in_quotes(v.texts_[at]),
                  in_quotes(e.text));
    v.has_[at] = true;
    v.texts_[at] = std::move(e.text);
    if (!v.tokens_.emplace(v.texts_[at], e.token).second)
      return fail("the text {} is given twice", in_quotes(v.texts_[at]));
  }
  return v;
}

std::optional<Token> Vocabulary::find_byte(unsigned char byte) const {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const char name[] = {'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>'};
  return find({name, sizeof name});
}

std::vector<std::optional<Token>> byte_tokens_of(const Vocabulary& vocabulary) {
  std::vector<std::optional<Token>> tokens;
  for (unsigned byte = 0; byte < 256; ++byte)
    tokens.push_back(vocabulary.find_byte(static_cast<unsigned char>(byte)));
  return tokens;
}

bool append_bytes(const Unknown& unknown, std::string_view text, std::vector<Token>& tokens) {
  if (unknown.byte_tokens.empty()) return false;
  const auto token_of = [&](char c) { return unknown.byte_tokens[static_cast<unsigned char>(c)]; };
  for (const char c : text)
    if (!token_of(c)) return false;
  for (const char c : text) tokens.push_back(*token_of(c));
  return true;
}

}  // namespace webnn::inline v0_1::lm
