// All of a tokenizer. Private.
#pragma once

#include "src/lm/tokenizer/model.h"
#include "src/lm/tokenizer/parts.h"
#include "webnn/lm/tokenizer.h"

namespace webnn::inline v0_1::lm {

struct TokenizerContents {
  std::shared_ptr<const Vocabulary> vocabulary{};  // with the added tokens
  std::vector<bool> is_added{}, is_special{};      // by token
  AddedTokens before{}, after{};                   // found before and after normalization
  Normalizer normalizer{};                         // empty: none
  PreTokenizer pre_tokenizer{};                    // empty: none
  std::unique_ptr<Model> model{};
  std::vector<Token> prefix{}, suffix{};  // around a text
  std::vector<DecodeStep> decoder{};
  std::optional<Token> bos{}, eos{}, unk{}, pad{};
  std::string chat_template{};
};

/// The entries of a vocabulary and tokens that are added to it.
struct TokenList {
  std::vector<Vocabulary::Entry> entries{};
  std::vector<AddedToken> added{};
};
/// Makes the vocabulary and finds the added tokens; the normalizer must be there.
std::optional<Failure> set_tokens(TokenizerContents& contents, TokenList list);

/// How a file of a model names its expressions: "llama-bpe", "qwen2", "gpt-4o".
struct NamedPreTokenizer {
  std::vector<std::string_view> expressions{};  // one after the other
  bool ignore_merges = false, nfc = false;
};
std::optional<NamedPreTokenizer> pre_tokenizer_named(std::string_view name);
/// The expression of GPT-2.
extern const std::string_view gpt2_expression;

/// Tokens to bytes, one at a time.
class Decoding {
 public:
  explicit Decoding(const std::vector<DecodeStep>& steps) : steps_(steps) { begin(); }

  void begin();
  /// The bytes that a token adds. An added token is its text.
  std::string put(std::string_view token, bool is_added);

 private:
  void apply(std::size_t index, std::string& text, bool is_added);

  const std::vector<DecodeStep>& steps_;
  bool is_first_ = true;
  std::size_t to_strip_ = 0;  // at the beginning of the whole text
  bool space_is_due_ = false;
};

}  // namespace webnn::inline v0_1::lm
