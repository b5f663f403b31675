#include "src/lm/tokenizer/parts.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

bool is_one_word(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin > 0 && is_word(last_character(text.substr(0, begin)).value)) return false;
  return end == text.size() || !is_word(character_at(text, end).value);
}
/// Where the white space begins that ends at `end`, not before `first`.
std::size_t space_before(std::string_view text, std::size_t first, std::size_t end) {
  while (end > first) {
    const Character c = last_character(text.substr(first, end - first));
    if (!is_white_space(c.value)) break;
    end -= c.length;
  }
  return end;
}
std::size_t space_after(std::string_view text, std::size_t at) {
  while (at < text.size() && is_white_space(character_at(text, at).value))
    at += character_at(text, at).length;
  return at;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> all) : all_(std::move(all)) {
  std::vector<PrefixIndex::Entry> every, ordinary;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    every.push_back({all_[i].text, static_cast<std::int32_t>(i)});
    if (!all_[i].is_special) ordinary.push_back(every.back());
  }
  every_ = PrefixIndex(std::move(every));
  ordinary_ = PrefixIndex(std::move(ordinary));
}

std::vector<AddedTokens::Part> AddedTokens::split(std::string_view text, bool special) const {
  std::vector<Part> parts;
  const PrefixIndex& index = special ? every_ : ordinary_;
  std::size_t after = 0;  // the last token
  for (std::size_t at = 0; !index.empty() && at < text.size();) {
    const auto match = index.longest_prefix(text.substr(at));
    if (match.length == 0) {
      at += character_at(text, at).length;
      continue;
    }
    const AddedToken& token = all_[static_cast<std::size_t>(match.value)];
    std::size_t begin = at, end = at + match.length;
    at = end;
    if (token.single_word && !is_one_word(text, begin, end)) continue;
    if (token.left_strip) begin = space_before(text, after, begin);
    if (token.right_strip) at = end = space_after(text, end);
    if (begin > after) parts.push_back({text.substr(after, begin - after), std::nullopt});
    parts.push_back({text.substr(begin, end - begin), token.token});
    after = end;
  }
  if (after < text.size()) parts.push_back({text.substr(after), std::nullopt});
  return parts;
}

}  // namespace webnn::inline v0_1::lm
