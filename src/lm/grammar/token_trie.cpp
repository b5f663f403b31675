#include "src/lm/grammar/token_trie.h"

#include <algorithm>
#include <numeric>

#include "src/graph/failure.h"
#include "src/lm/tokenizer/contents.h"

namespace webnn::inline v0_1::lm {

TokenBytes bytes_of(const Tokenizer& tokenizer, std::span<const Token> ends) {
  const TokenizerContents& c = *tokenizer.contents_;
  for (const DecodeStep& step : c.decoder)
    if (step.kind == DecodeStep::Kind::word_piece || step.kind == DecodeStep::Kind::end_suffix)
      raise({"a grammar needs a tokenizer whose tokens have a text of their own",
             ErrorName::NotSupportedError},
            "grammar");
  TokenBytes all;
  all.first.resize(tokenizer.size());
  all.later.resize(tokenizer.size());
  Decoding decoding(c.decoder);
  for (std::size_t i = 0; i < all.first.size(); ++i) {
    const auto token = static_cast<Token>(i);
    if (c.is_special[i] || std::ranges::find(ends, token) != ends.end()) continue;
    const std::string_view text = tokenizer.text_of(token);
    if (text.empty()) continue;
    decoding.begin();
    all.first[i] = decoding.put(text, c.is_added[i]);
    decoding.begin();
    decoding.put("x", true);
    all.later[i] = decoding.put(text, c.is_added[i]);
  }
  return all;
}

TokenTrie::TokenTrie(const std::vector<std::string>& texts) {
  std::vector<Token> order;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!texts[i].empty()) order.push_back(static_cast<Token>(i));
  const auto text = [&](Token t) -> const std::string& {
    return texts[static_cast<std::size_t>(t)];
  };
  std::ranges::sort(
      order, [&](Token a, Token b) { return text(a) != text(b) ? text(a) < text(b) : a < b; });
  std::vector<std::uint32_t> path;  // nodes whose end is not known
  std::string_view before;
  const auto close = [&](std::size_t depth) {
    for (; path.size() > depth; path.pop_back())
      nodes_[path.back()].end = static_cast<std::uint32_t>(nodes_.size());
  };
  for (const Token t : order) {
    const std::string& s = text(t);
    const auto common =
        static_cast<std::size_t>(std::ranges::mismatch(before, s).in1 - before.begin());
    close(common);
    for (std::size_t i = common; i < s.size(); ++i) {
      path.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.push_back({.tokens_end = static_cast<std::uint32_t>(tokens_.size()),
                        .depth = static_cast<std::uint16_t>(i),
                        .byte = static_cast<std::uint8_t>(s[i])});
    }
    tokens_.push_back(t);
    nodes_[path.back()].tokens_end = static_cast<std::uint32_t>(tokens_.size());
    if (s.size() == 1) single_.set(static_cast<std::uint8_t>(s[0]));
    depth_ = std::max(depth_, s.size());
    before = s;
  }
  close(0);
}

void TokenTrie::mark(Matcher& matcher, Matcher::State state, std::vector<bool>& bits) const {
  std::vector<Matcher::State> states(depth_ + 1);
  states[0] = state;
  for (std::uint32_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    const Matcher::State next = matcher.after(states[node.depth], node.byte);
    if (next == Matcher::dead) {
      i = node.end;
      continue;
    }
    states[node.depth + std::size_t{1}] = next;
    for (std::uint32_t t = i == 0 ? 0 : nodes_[i - 1].tokens_end; t < node.tokens_end; ++t)
      if (const auto token = static_cast<std::size_t>(tokens_[t]); token < bits.size())
        bits[token] = true;
    ++i;
  }
}

}  // namespace webnn::inline v0_1::lm
