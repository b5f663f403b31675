// Text from a language model, piece by piece.
#pragma once

#include <iterator>
#include <stop_token>

#include "webnn/lm/sampling.h"
#include "webnn/rules.h"

namespace webnn::inline v0_1::lm {

/// The options of a generation: what is generated, and when it ends. webnn/lm/sampling.h describes
/// the members from temperature to seed.
struct GenerateOptions {
  /// The largest number of tokens; 0: as many as the cache has room for.
  std::uint32_t maxTokens = 256;
  float temperature = 0;
  std::uint32_t topK = 0;
  float topP = 1;
  float minP = 0;
  float repetitionPenalty = 1;
  std::uint32_t repetitionWindow = 64;
  std::uint64_t seed = 0;
  std::vector<std::string> stop{};  ///< texts that end the generated text; they are left out
  std::vector<Token> stopTokens{};  ///< tokens that end the text, besides those of the model
  bool ignoreEnd = false;           ///< continue after a token with which the model ends a text
  std::vector<std::pair<Token, float>> bias{};  ///< numbers that are added to the logits of tokens
  /// The form of the text: a grammar in the notation of Grammar::from_gbnf(), or a JSON schema as
  /// Grammar::from_json_schema() reads it. Tokens that cannot follow are not possible, and tokens
  /// that end a text are possible only where it is complete; if nothing can follow, the text ends.
  /// Empty: any text. Only one of the two may be given.
  std::string grammar{}, jsonSchema{};
  std::uint32_t logProbabilities = 0;  ///< how many of the most probable tokens are reported
  std::stop_token cancel{};            ///< ends a run that is under way: it throws AbortError
};

enum class FinishReason { none, end, stop, length, capacity, canceled };
constexpr auto names_of(FinishReason) {
  return names("none", "end", "stop", "length", "capacity", "canceled");
}

struct GenerationReport {
  std::size_t promptTokens = 0;  ///< the number of tokens of the prompt ...
  std::size_t cachedTokens = 0;  ///< ... and how many of them were in the cache
  /// The number of generated tokens, including the one that ended the text.
  std::size_t tokens = 0;
  double promptSeconds = 0;  ///< the time until the logits of the first token were computed
  double seconds = 0;        ///< the time after that in which tokens were computed
  /// none: it has not ended; end: a token of the model ended it; stop: a text or token of the
  /// options ended it; length: maxTokens; capacity: the cache is full; canceled: it has left a
  /// Batch.
  FinishReason finishReason = FinishReason::none;

  /// The speed for the tokens of the prompt that were not in the cache.
  double prompt_tokens_per_second() const;
  /// The speed for the tokens after the first one, which follows from the prompt.
  double tokens_per_second() const;
};

/// A range of pieces of text, each made when it is asked for:
/// `for (std::string_view piece : model.generate("Once")) ...`. Pieces are whole characters and are
/// not empty. It can be read once, by one thread.
class Generation {
 public:
  Generation(Generation&&) noexcept;
  Generation& operator=(Generation&&) noexcept;
  ~Generation();

  /// The next piece, valid until the next call; nothing at the end. Throws InvalidStateError if the
  /// cache was changed since, AbortError as GenerateOptions::cancel says, and what Sampler throws.
  std::optional<std::string_view> next();
  std::string rest();  ///< all remaining pieces in one text

  std::span<const Token> tokens() const;  ///< the tokens that were generated so far
  /// The same tokens with their probabilities, if GenerateOptions::logProbabilities is not 0; else
  /// empty.
  std::span<const Sample> samples() const;
  const GenerationReport& report() const;

  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    std::string_view operator*() const { return *piece_; }
    iterator& operator++() {
      piece_ = generation_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !piece_; }

   private:
    friend class Generation;
    Generation* generation_ = nullptr;
    std::optional<std::string_view> piece_{};
  };
  iterator begin();  ///< computes the first piece
  std::default_sentinel_t end() const { return {}; }

 private:
  friend class Model;
  friend class Chat;
  friend class Batch;
  struct State;
  explicit Generation(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace webnn::inline v0_1::lm
