// The bytes of all tokens of a vocabulary. Private.
#pragma once

#include <bitset>

#include "src/lm/grammar/matcher.h"
#include "webnn/lm/tokenizer.h"

namespace webnn::inline v0_1::lm {

/// What tokens add to a text.
struct TokenBytes {
  /// By token, at the beginning of a text and behind it; empty for those that have no text: special
  /// ones, and `ends`.
  std::vector<std::string> first{}, later{};
};
/// Throws NotSupportedError where the text of a token depends on those beside it.
TokenBytes bytes_of(const Tokenizer& tokenizer, std::span<const Token> ends);

class TokenTrie {
 public:
  explicit TokenTrie(const std::vector<std::string>& tokens);

  /// Sets the bits of the tokens that can follow in that state.
  void mark(Matcher& matcher, Matcher::State state, std::vector<bool>& bits) const;
  /// Which bytes are tokens by themselves.
  const std::bitset<256>& single_bytes() const { return single_; }

 private:
  struct Node {
    std::uint32_t end = 0;         // behind those below it
    std::uint32_t tokens_end = 0;  // of tokens_; they begin where those of the node before end
    std::uint16_t depth = 0;
    std::uint8_t byte = 0;
  };
  std::vector<Node> nodes_{};  // each before those below it
  std::vector<Token> tokens_{};
  std::bitset<256> single_{};
  std::size_t depth_ = 0;
};

}  // namespace webnn::inline v0_1::lm
