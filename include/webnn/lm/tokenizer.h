// Text to the tokens of a language model, and back.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "webnn/gguf.h"
#include "webnn/path.h"

namespace webnn::inline v0_1::lm {

/// The index of a token in the vocabulary.
using Token = std::int32_t;

struct TokenizerContents;
struct TokenBytes;

struct EncodeOptions {
  bool addSpecial = true;    ///< adds the tokens that the model expects around a text, as `<s>`
  bool parseSpecial = true;  ///< special tokens that are written in the text are recognized
};
struct DecodeOptions {
  bool skipSpecial = true;  ///< special tokens have no text
};

/// A tokenizer as the model's file describes it. A handle: copies share it. Immutable, so it may be
/// used by several threads at once.
///
/// Models: byte-level BPE, BPE with byte fallback as SentencePiece has it, Unigram, WordPiece.
/// Bytes of a text that are not UTF-8 are replaced by U+FFFD, as the WHATWG's decoder does. The
/// time for encoding is proportional to n log n for any text of n bytes, unless an expression of
/// the file takes longer.
class Tokenizer {
 public:
  /// Reads a tokenizer.json, a folder that has it (tokenizer_config.json and chat_template.jinja
  /// beside it are also read), or a .gguf file. Throws DataError for a file that is broken, and
  /// NotSupportedError, which names what is not supported.
  static Tokenizer open(const Path& path);
  /// Reads the texts of tokenizer.json and, if it is not empty, of tokenizer_config.json.
  static Tokenizer from_json(std::string_view tokenizer, std::string_view config = {},
                             std::string_view label = {});
  /// Reads the metadata under "tokenizer." of a .gguf file.
  static Tokenizer from_gguf(const gguf::File& file, std::string_view label = {});

  std::vector<Token> encode(std::string_view text, const EncodeOptions& options = {}) const;
  /// Throws TypeError for a token that is not below size(). Bytes that are not UTF-8 become U+FFFD.
  std::string decode(std::span<const Token> tokens, const DecodeOptions& options = {}) const;

  std::size_t size() const;  ///< one more than the greatest token
  /// The token as the file writes it: "\u0120the". Empty where the file has none. Throws TypeError
  /// if it is not below size().
  std::string_view text_of(Token token) const;
  std::optional<Token> find(std::string_view text) const;  ///< the token with that text in the file
  bool is_special(Token token) const;

  // The tokens with a role, if the file names them.

  std::optional<Token> bos() const;
  std::optional<Token> eos() const;
  std::optional<Token> unk() const;
  std::optional<Token> pad() const;
  /// The model's template for conversations; empty if the file has none.
  const std::string& chat_template() const;

 private:
  friend class TokenStream;
  friend TokenBytes bytes_of(const Tokenizer&, std::span<const Token>);
  explicit Tokenizer(std::shared_ptr<const TokenizerContents> contents)
      : contents_(std::move(contents)) {}

  std::shared_ptr<const TokenizerContents> contents_;
};

/// Decodes tokens as they come. All returned texts, one after the other, are what decode() returns
/// for all tokens. A character whose bytes are in several tokens is returned as a whole.
class TokenStream {
 public:
  explicit TokenStream(const Tokenizer& tokenizer, const DecodeOptions& options = {});
  TokenStream(TokenStream&&) noexcept;
  TokenStream& operator=(TokenStream&&) noexcept;
  ~TokenStream();

  /// The text that the token adds, which may be empty. Throws TypeError as decode() does.
  std::string put(Token token);
  /// The rest of the text at the end: U+FFFD for a character that is not complete. The stream then
  /// begins again.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace webnn::inline v0_1::lm
