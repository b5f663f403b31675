// The choice of the next token from a model's logits.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "webnn/lm/tokenizer.h"

namespace webnn::inline v0_1::lm {

/// How a token is chosen. The logits are changed in this order: bias, repetition penalty,
/// temperature; then topK, topP and minP leave out tokens, in this order.
struct SamplingOptions {
  float temperature = 0;   ///< logits are divided by it; 0: the most probable token is chosen
  std::uint32_t topK = 0;  ///< only this many of the most probable tokens are possible; 0: all
  float topP = 1;  ///< only the most probable tokens whose probabilities add up to it; (0, 1]
  float minP = 0;  ///< only tokens at least this fraction as probable as the best one; [0, 1]
  /// Divides positive logits of earlier tokens, and multiplies others.
  float repetitionPenalty = 1;
  /// The number of the latest tokens that are penalized; 0: all.
  std::uint32_t repetitionWindow = 64;
  std::uint64_t seed = 0;                       ///< the seed of the random numbers
  std::vector<std::pair<Token, float>> bias{};  ///< numbers that are added to the logits of tokens
  std::uint32_t logProbabilities = 0;  ///< how many of the most probable tokens are reported
  /// Whether the logarithm of the token's probability is reported, which takes a while.
  bool logProbability = true;
};

struct TokenProbability {
  Token token = 0;
  float logProbability = 0;  ///< the natural logarithm, from the logits as the model gives them
};
struct Sample {
  Token token = 0;
  float logProbability = 0;  ///< if the options ask for it, or for others
  /// The most probable tokens, as many as the options say, the best first.
  std::vector<TokenProbability> best{};
};

struct TokenLogit {
  Token token = 0;
  float logit = 0;
};

/// Chooses tokens, one after the other. The same logits, options and earlier tokens give the same
/// tokens on every machine where the logarithm and the exponential of the C library are the same,
/// for any number of threads. Among equal logits, the lowest token is the best.
class Sampler {
 public:
  /// Throws TypeError for options that are out of range or not numbers.
  explicit Sampler(const SamplingOptions& options = {});

  /// `before`: the tokens of the prompt and those that were chosen, for the repetition penalty.
  /// Throws TypeError without logits, for an earlier token or a token of the bias that has no
  /// logit, and for logits that are all -infinity or have NaN or +infinity; -infinity is a token
  /// that is not possible.
  Sample sample(std::span<const float> logits, std::span<const Token> before = {});
  /// The same, where tokens without a bit in `allowed` are not possible. Throws TypeError also if
  /// no token is allowed.
  Sample sample(std::span<const float> logits, std::span<const Token> before,
                const std::vector<bool>& allowed);

  const SamplingOptions& options() const { return options_; }

 private:
  Sample choose(std::span<const float> logits, std::span<const Token> before,
                const std::vector<bool>* allowed);
  void change_logits(std::span<const Token> before);
  Token draw();
  double random();

  SamplingOptions options_;
  std::uint64_t state_;
  std::vector<float> logits_{};  // kept, so that a token allocates nothing
  std::vector<TokenLogit> candidates_{};
  std::vector<std::uint64_t> sums_{};
};

}  // namespace webnn::inline v0_1::lm
