// How far a generation is. Private.
#pragma once

#include <chrono>
#include <functional>

#include "src/lm/generation/contents.h"

namespace webnn::inline v0_1::lm {

struct Generation::State {
  std::shared_ptr<ModelContents> model;
  std::shared_ptr<CacheState> cache;  // a batch gives it one when it begins
  std::vector<Token> prompt;
  GenerateOptions options;
  Sampler sampler;
  std::optional<TokenStream> stream{};
  std::unique_ptr<Constraint> constraint{};
  std::vector<Token> tokens{};
  std::vector<Sample> samples{};
  std::vector<float> logits{};
  GenerationReport report{};
  std::uint64_t changes = 0;  // of the cache, when it was used last
  std::string text{};         // all pieces so far
  std::string held{};         // text that may be the beginning of a stop text
  std::string piece{};
  bool started = false;

  State(std::shared_ptr<ModelContents> model, std::shared_ptr<CacheState> cache,
        std::vector<Token> prompt, const GenerateOptions& o);
  std::optional<std::string_view> next();

  bool ended() const { return report.finishReason != FinishReason::none; }
  /// Throws InvalidStateError if the cache was changed by something else.
  void check_cache() const;
  /// Reads the prompt.
  void begin(const std::stop_token& stop);
  /// Whether the cache has no room for the next token; then this is the end.
  bool is_full();
  /// Chooses the next token, whose text is added to the piece.
  void take(std::span<const float> logits);
  /// The text that was held goes to the piece.
  void finish();

 private:
  Sample choose(std::span<const float> logits);
  void step();
  void read(std::span<const Token> tokens, const std::stop_token& stop);
  void add(Token token);
  std::string text_of(Token token);
  bool is_end(Token token) const;
  /// Moves what is held to the piece, but for what a stop text may begin with.
  void release(bool all);
};

}  // namespace webnn::inline v0_1::lm
