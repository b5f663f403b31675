// From words to tokens. Private.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "webnn/error.h"
#include "webnn/lm/tokenizer.h"

namespace webnn::inline v0_1::lm {

/// Nobody who writes a file can choose texts with equal hashes: the seed is another one in each
/// process.
struct TextHash {
  std::size_t operator()(std::string_view text) const;
};

/// The tokens of a file and their texts.
class Vocabulary {
 public:
  struct Entry {
    std::string text;
    Token token;
  };
  /// A failure for a token that is negative, given twice, or much greater than their number, and
  /// for a text that is given twice or too long.
  static Result<Vocabulary> of(std::vector<Entry> entries);

  std::size_t size() const { return texts_.size(); }
  const std::string& text(Token token) const { return texts_[static_cast<std::size_t>(token)]; }
  bool has(Token token) const { return has_[static_cast<std::size_t>(token)]; }
  std::optional<Token> find(std::string_view text) const {
    const auto at = tokens_.find(text);
    return at == tokens_.end() ? std::nullopt : std::optional(at->second);
  }
  /// The token "<0x0A>" of a byte.
  std::optional<Token> find_byte(unsigned char byte) const;

 private:
  std::vector<std::string> texts_{};
  std::vector<bool> has_{};
  std::unordered_map<std::string_view, Token, TextHash> tokens_{};
};

class Model {
 public:
  virtual ~Model() = default;
  /// Appends the tokens of a word of valid UTF-8.
  virtual void encode(std::string_view word, std::vector<Token>& tokens) const = 0;
};

/// What a model does with characters that the vocabulary does not have.
struct Unknown {
  std::optional<Token> token{};                     ///< absent: they are left out
  bool fuse = false;                                ///< one token for all that follow one another
  std::vector<std::optional<Token>> byte_tokens{};  ///< 256: bytes are tried first; or none
};
/// The tokens of all bytes of a text, if the vocabulary has them.
bool append_bytes(const Unknown& unknown, std::string_view text, std::vector<Token>& tokens);
/// The byte tokens of a vocabulary.
std::vector<std::optional<Token>> byte_tokens_of(const Vocabulary& vocabulary);

struct BpeOptions {
  Unknown unknown{};
  std::string continuing_prefix{}, end_suffix{};
  bool ignore_merges = false;  ///< a word that is a token is not taken apart
};
/// Byte pair encoding; the first merges of the list are done first.
Result<std::unique_ptr<Model>> bpe_model(
    std::shared_ptr<const Vocabulary> vocabulary,
    const std::vector<std::pair<std::string, std::string>>& merges, BpeOptions options);
/// Byte pair encoding as SentencePiece has it: any two neighbors that are a token together are
/// merged, those with the highest score first. Tokens with a NaN score are not made.
std::unique_ptr<Model> scored_bpe_model(std::shared_ptr<const Vocabulary> vocabulary,
                                        std::vector<float> scores, BpeOptions options);
/// The tokens with the greatest sum of scores.
std::unique_ptr<Model> unigram_model(std::shared_ptr<const Vocabulary> vocabulary,
                                     std::vector<double> scores, Unknown unknown);

struct WordPieceOptions {
  Token unknown = 0;
  std::string first_prefix{}, continuing_prefix = "##";
  std::size_t max_characters = 100;  ///< longer words are unknown
};
/// The longest token that a word begins with, again and again.
std::unique_ptr<Model> word_piece_model(std::shared_ptr<const Vocabulary> vocabulary,
                                        const WordPieceOptions& options);

}  // namespace webnn::inline v0_1::lm
