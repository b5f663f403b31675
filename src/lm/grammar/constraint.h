// Which tokens can follow in a text that a grammar constrains. Private.
#pragma once

#include <mutex>
#include <optional>

#include "src/lm/grammar/token_trie.h"
#include "webnn/lm/grammar.h"

namespace webnn::inline v0_1::lm {

struct GrammarContents {
  GrammarRules rules{};
  Automaton automaton{};
};

/// The tokens of a model, for all grammars.
struct TokenTexts {
  TokenBytes bytes;
  TokenTrie first, later;

  TokenTexts(const Tokenizer& tokenizer, std::span<const Token> ends)
      : bytes(bytes_of(tokenizer, ends)), first(bytes.first), later(bytes.later) {}
};

/// A grammar for a vocabulary. What was computed for one text serves the next ones. May be used by
/// several threads at once.
class TokenGrammar {
 public:
  /// `count`: the logits of the model, at least as many as tokens.
  TokenGrammar(const Grammar& grammar, std::shared_ptr<const TokenTexts> texts, std::size_t count);

 private:
  friend class Constraint;

  std::shared_ptr<const TokenTexts> texts_;
  std::size_t count_;
  Automaton automaton_;
  std::mutex mutex_{};
  Matcher matcher_;
  std::uint64_t version_ = 0;  // states of others are not known any more
  std::vector<std::shared_ptr<std::vector<bool>>> masks_{};  // by state
};

/// A text that is being generated.
class Constraint {
 public:
  explicit Constraint(std::shared_ptr<TokenGrammar> grammar);

  /// The tokens that can follow, which the caller may change. Each leads to a text that can be
  /// completed with tokens of a byte.
  std::vector<bool>& allowed();
  /// Whether the text may end here, and whether it has to.
  bool accepts() const { return kept_.accepts; }
  bool is_complete() const { return kept_.accepts && kept_.ways.empty(); }
  /// One of those that are allowed.
  void take(Token token);

 private:
  /// The state of the matcher, whose lock is held.
  Matcher::State state();

  std::shared_ptr<TokenGrammar> grammar_;
  Matcher::Kept kept_{};
  Matcher::State state_ = 0;
  std::uint64_t version_ = 0;
  bool is_first_ = true;
  std::vector<bool> allowed_{};
};

/// The grammars of a model that were used last.
class Constraints {
 public:
  /// Null without a grammar and a schema. Throws what Grammar throws, and TypeError for both.
  std::unique_ptr<Constraint> make(const std::string& grammar, const std::string& schema,
                                   const Tokenizer& tokenizer, std::span<const Token> ends,
                                   std::size_t count);

 private:
  struct Entry {
    std::string text;
    bool is_schema = false;
    std::shared_ptr<TokenGrammar> grammar{};
  };
  std::mutex mutex_{};
  std::shared_ptr<const TokenTexts> texts_{};
  std::vector<Entry> entries_{};  // the one used last first
};

}  // namespace webnn::inline v0_1::lm
