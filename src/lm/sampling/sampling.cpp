#include "webnn/lm/sampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "src/graph/failure.h"
#include "src/lm/sampling/weights.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity(),
                largest = std::numeric_limits<float>::max();

[[noreturn]] void refuse(Failure f) { raise(std::move(f), "sample"); }

void check(const SamplingOptions& o) {
  // Comparisons with NaN are false.
  if (!(o.temperature >= 0) || std::isinf(o.temperature))
    refuse(fail("the temperature ({}) is not a number of 0 or more", o.temperature));
  if (!(o.topP > 0 && o.topP <= 1)) refuse(fail("topP ({}) is not in (0, 1]", o.topP));
  if (!(o.minP >= 0 && o.minP <= 1)) refuse(fail("minP ({}) is not in [0, 1]", o.minP));
  if (!(o.repetitionPenalty > 0) || std::isinf(o.repetitionPenalty))
    refuse(fail("repetitionPenalty ({}) is not a number greater than 0", o.repetitionPenalty));
  for (const auto& [token, value] : o.bias)
    if (std::isnan(value) || value == std::numeric_limits<float>::infinity())
      refuse(fail("the bias ({}) of token {} is not a number", value, token));
}

void check_token(Token token, std::size_t size, std::string_view what) {
  if (token < 0 || static_cast<std::size_t>(token) >= size)
    refuse(fail("{} {} has no logit; there are {}", what, token, size));
}

void check_before(std::span<const Token> before, std::size_t size) {
  for (const Token t : before) check_token(t, size, "the earlier token");
}

/// The greatest of the logits, which are numbers or -infinity. Lanes are compared one beside the
/// other, so that the compiler makes vectors of them.
float checked_greatest(std::span<const float> logits) {
  constexpr std::size_t lanes = 16;
  std::array<float, lanes> greatest;
  std::array<int, lanes> wrong{};
  greatest.fill(impossible);
  const std::size_t whole = logits.size() / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t j = 0; j < lanes; ++j) {
      const float x = logits[i + j];
      greatest[j] = x > greatest[j] ? x : greatest[j];
      wrong[j] |= x <= largest ? 0 : 1;
    }
  for (std::size_t i = whole; i < logits.size(); ++i) {
    greatest[0] = std::max(greatest[0], logits[i]);
    wrong[0] |= logits[i] <= largest ? 0 : 1;
  }
  if (std::ranges::any_of(wrong, [](int w) { return w != 0; }))
    for (std::size_t i = 0; i < logits.size(); ++i)
      if (!(logits[i] <= largest)) refuse(fail("logit {} is {}", i, logits[i]));
  return std::ranges::max(greatest);
}

/// The logarithm of the sum of exponentials.
double log_sum(std::span<const float> logits, float greatest) {
  double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<double>(x) - greatest);
  return greatest + std::log(sum);
}

/// The tokens with the greatest logits.
std::vector<TokenProbability> best_of(std::span<const float> logits, std::size_t count,
                                      double log_total) {
  std::vector<TokenProbability> all;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (logits[i] != impossible)
      all.push_back({static_cast<Token>(i), static_cast<float>(logits[i] - log_total)});
  count = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(),
                    [&](const TokenProbability& a, const TokenProbability& b) {
                      const float x = logits[static_cast<std::size_t>(a.token)],
                                  y = logits[static_cast<std::size_t>(b.token)];
                      return x != y ? x > y : a.token < b.token;
                    });
  all.resize(count);
  return all;
}

}  // namespace

Sampler::Sampler(const SamplingOptions& options) : options_(options), state_(options.seed) {
  check(options_);
}

/// In [0, 1): https://prng.di.unimi.it/splitmix64.c
double Sampler::random() {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}

Sample Sampler::sample(std::span<const float> logits, std::span<const Token> before) {
  return choose(logits, before, nullptr);
}
Sample Sampler::sample(std::span<const float> logits, std::span<const Token> before,
                       const std::vector<bool>& allowed) {
  if (allowed.size() != logits.size())
    refuse(
        fail("there are {} bits of allowed tokens for {} logits", allowed.size(), logits.size()));
  return choose(logits, before, &allowed);
}

Sample Sampler::choose(std::span<const float> logits, std::span<const Token> before,
                       const std::vector<bool>* allowed) {
  if (logits.empty()) refuse(fail("there are no logits"));
  const float greatest = checked_greatest(logits);
  if (greatest == impossible) refuse(fail("no token is possible: all logits are -infinity"));
  Sample s;
  if (!allowed && options_.bias.empty() && options_.repetitionPenalty == 1 &&
      options_.temperature == 0) {
    check_before(before, logits.size());
    s.token = static_cast<Token>(std::ranges::find(logits, greatest) - logits.begin());
  } else {
    logits_.assign(logits.begin(), logits.end());
    if (allowed)
      for (std::size_t i = 0; i < logits_.size(); ++i)
        if (!(*allowed)[i]) logits_[i] = impossible;
    change_logits(before);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(logits_) - logits_.begin());
    if (logits_[best] == impossible) refuse(fail("no token is possible: none is allowed"));
    s.token = static_cast<Token>(best);
  }
  if (options_.temperature > 0) s.token = draw();
  if (!options_.logProbability && options_.logProbabilities == 0) return s;
  const double log_total = log_sum(logits, greatest);
  s.logProbability = static_cast<float>(logits[static_cast<std::size_t>(s.token)] - log_total);
  if (options_.logProbabilities > 0) s.best = best_of(logits, options_.logProbabilities, log_total);
  return s;
}

void Sampler::change_logits(std::span<const Token> before) {
  for (const auto& [token, value] : options_.bias) {
    check_token(token, logits_.size(), "the token of the bias");
    float& logit = logits_[static_cast<std::size_t>(token)];
    logit = std::min(logit + value, largest);
  }
  check_before(before, logits_.size());
  if (options_.repetitionPenalty == 1) return;
  if (options_.repetitionWindow > 0 && before.size() > options_.repetitionWindow)
    before = before.last(options_.repetitionWindow);
  std::unordered_set<Token> done;
  for (const Token t : before) {
    if (!done.insert(t).second) continue;
    float& logit = logits_[static_cast<std::size_t>(t)];
    logit = logit > 0 ? std::min(logit / options_.repetitionPenalty, largest)
                      : logit * options_.repetitionPenalty;
  }
}

/// One of the tokens that topK, topP and minP leave, by chance.
Token Sampler::draw() {
  keep_best(logits_, options_.topK, candidates_);
  const bool needs_all = options_.topP < 1;
  const Weights weights(candidates_, logits_.size(), options_.temperature, options_.minP, needs_all,
                        sums_);
  std::uint64_t left = weights.least_left();
  if (needs_all) {
    const double part = static_cast<double>(options_.topP) * static_cast<double>(weights.total());
    const auto limit = static_cast<std::uint64_t>(std::ceil(part));
    left = std::min(left,
                    weights.passing(std::clamp(limit, std::uint64_t{1}, weights.total()) - 1).sum);
  }
  const auto point = static_cast<std::uint64_t>(random() * static_cast<double>(left));
  return weights.passing(std::min(point, left - 1)).token;
}

}  // namespace webnn::inline v0_1::lm
