#include "webnn/lm/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/thrown.h"
#include "webnn/error.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

std::vector<double> softmax(const std::vector<float>& logits, double temperature = 1) {
  double total = 0;
  std::vector<double> p;
  for (const float x : logits) total += p.emplace_back(std::exp(x / temperature));
  for (double& x : p) x /= total;
  return p;
}
/// How often each token is chosen.
std::vector<double> frequencies(const std::vector<float>& logits, const SamplingOptions& options,
                                const std::vector<Token>& before = {}) {
  Sampler sampler(options);
  std::vector<double> counts(logits.size());
  constexpr int n = 40'000;
  for (int i = 0; i < n; ++i)
    counts[static_cast<std::size_t>(sampler.sample(logits, before).token)] += 1.0 / n;
  return counts;
}
void compare(const std::vector<double>& found, const std::vector<double>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    if (expected[i] == 0) CHECK(found[i] == 0);
    else CHECK(std::abs(found[i] - expected[i]) < 0.015);  // six standard deviations
  }
}

const std::vector<float> logits{1, 3, -1, 2, 3, -infinite};

TEST_CASE("sampling: the greatest logit, the lowest token of equal ones") {
  Sampler sampler;
  for (int i = 0; i < 3; ++i) CHECK(sampler.sample(logits).token == 1);
  CHECK(sampler.sample(std::vector<float>{-2}).token == 0);
}

TEST_CASE("sampling: the greatest of many logits, wherever it is, and what is not a number") {
  Sampler plain;
  Sampler changed({.bias = {{0, 0.f}}});  // does not take the short way
  std::mt19937 random(1);
  for (const std::size_t size : {15u, 16u, 17u, 100u}) {
    std::vector<float> all(size);
    for (std::size_t i = 0; i < size; ++i) {
      for (float& x : all) x = static_cast<float>(random() % 100) - 200;
      all[i] = all[random() % size] = -50;
      CAPTURE(size, i);
      const auto expected = std::ranges::max_element(all) - all.begin();
      CHECK(plain.sample(all).token == expected);
      CHECK(changed.sample(all).token == expected);
      for (const float wrong : {infinite, std::numeric_limits<float>::quiet_NaN()}) {
        const float right = std::exchange(all[i], wrong);
        CHECK_THAT(test::thrown([&] { plain.sample(all); }),
                   ContainsSubstring("logit " + std::to_string(i) + " is"));
        all[i] = right;
      }
    }
  }
}

TEST_CASE("sampling: tokens have the frequencies of the softmax") {
  for (const float temperature : {0.5f, 1.f, 2.f})
    compare(frequencies(logits, {.temperature = temperature}), softmax(logits, temperature));
}

TEST_CASE("sampling: topK, topP and minP leave out tokens") {
  const auto only = [](std::vector<float> left) { return softmax(left); };
  const float no = -infinite;
  compare(frequencies(logits, {.temperature = 1, .topK = 1}), only({no, 3, no, no, no, no}));
  compare(frequencies(logits, {.temperature = 1, .topK = 3}), only({no, 3, no, 2, 3, no}));
  compare(frequencies(logits, {.temperature = 1, .topK = 99}), softmax(logits));
  // The probabilities are 0.40, 0.40, 0.15, 0.05, 0.01.
  compare(frequencies(logits, {.temperature = 1, .topP = 0.1f}), only({no, 3, no, no, no, no}));
  compare(frequencies(logits, {.temperature = 1, .topP = 0.5f}), only({no, 3, no, no, 3, no}));
  compare(frequencies(logits, {.temperature = 1, .topP = 0.9f}), only({no, 3, no, 2, 3, no}));
  compare(frequencies(logits, {.temperature = 1, .minP = 0.3f}), only({no, 3, no, 2, 3, no}));
  compare(frequencies(logits, {.temperature = 1, .minP = 1}), only({no, 3, no, no, 3, no}));
  compare(frequencies(logits, {.temperature = 1, .topK = 3, .topP = 0.9f, .minP = 0.5f}),
          only({no, 3, no, no, 3, no}));
}

TEST_CASE("sampling: the same seed gives the same tokens") {
  std::mt19937 random(3);
  std::vector<float> many(1000);
  for (float& x : many) x = static_cast<float>(random() % 1000) / 100;
  const auto tokens = [&](std::uint64_t seed) {
    Sampler sampler({.temperature = 1, .seed = seed});
    std::vector<Token> all;
    for (int i = 0; i < 50; ++i) all.push_back(sampler.sample(many).token);
    return all;
  };
  CHECK(tokens(1) == tokens(1));
  CHECK(tokens(1) != tokens(2));
}

TEST_CASE("sampling: bias and repetition penalty") {
  Sampler biased({.bias = {{2, 5.f}, {1, -infinite}}});
  CHECK(biased.sample(logits).token == 2);
  Sampler penalized({.repetitionPenalty = 2, .repetitionWindow = 2});
  CHECK(penalized.sample(logits, std::vector<Token>{1}).token == 4);
  CHECK(penalized.sample(logits, std::vector<Token>{1, 4, 1}).token == 3);
  CHECK(penalized.sample(logits, std::vector<Token>{1, 0, 0}).token == 1);  // out of the window
  // Negative logits are multiplied; a token that is there twice counts once.
  const std::vector<float> two{-1, -1.5f};
  CHECK(penalized.sample(two, std::vector<Token>{0, 0}).token == 1);
  compare(frequencies({-1, 2}, {.temperature = 1, .repetitionPenalty = 2}, {0, 1, 1}),
          softmax({-2, 1}));
}

TEST_CASE("sampling: tokens that are not allowed") {
  Sampler sampler;
  CHECK(sampler.sample(logits, {}, {true, false, true, true, false, true}).token == 3);
  CHECK(test::thrown([&] { sampler.sample(logits, {}, std::vector<bool>(6)); }) ==
        "TypeError sample: no token is possible: none is allowed.");
  CHECK(test::thrown([&] { sampler.sample(logits, {}, std::vector<bool>(5)); }) ==
        "TypeError sample: there are 5 bits of allowed tokens for 6 logits.");
}

TEST_CASE("sampling: log probabilities are those of the model") {
  const auto p = softmax(logits);
  Sampler sampler({.bias = {{3, 9.f}}, .logProbabilities = 3});
  const Sample s = sampler.sample(logits);
  CHECK(s.token == 3);
  CHECK(s.logProbability == Approx(std::log(p[3])));
  REQUIRE(s.best.size() == 3);
  CHECK(s.best[0].token == 1);
  CHECK(s.best[1].token == 4);
  CHECK(s.best[2].token == 3);
  CHECK(s.best[0].logProbability == Approx(std::log(p[1])));
  CHECK(Sampler({.logProbabilities = 99}).sample(logits).best.size() == 5);
}

TEST_CASE("sampling: options and logits that are refused") {
  const auto options = [](const SamplingOptions& o) { return test::thrown([&] { Sampler{o}; }); };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(options({.temperature = -1}) ==
        "TypeError sample: the temperature (-1) is not a number of 0 or more.");
  CHECK_THAT(options({.temperature = nan}), ContainsSubstring("TypeError"));
  CHECK(options({.topP = 0}) == "TypeError sample: topP (0) is not in (0, 1].");
  CHECK_THAT(options({.topP = nan}), ContainsSubstring("TypeError"));
  CHECK(options({.minP = 2}) == "TypeError sample: minP (2) is not in [0, 1].");
  CHECK_THAT(options({.repetitionPenalty = 0}), ContainsSubstring("repetitionPenalty (0)"));
  CHECK_THAT(options({.bias = {{1, nan}}}), ContainsSubstring("of token 1 is not a number"));
  Sampler sampler({.bias = {{6, 1.f}}});
  CHECK(test::thrown([&] { sampler.sample(logits); }) ==
        "TypeError sample: the token of the bias 6 has no logit; there are 6.");
  Sampler plain;
  CHECK(test::thrown([&] { plain.sample({}); }) == "TypeError sample: there are no logits.");
  CHECK(test::thrown([&] { plain.sample(std::vector<float>{-infinite}); }) ==
        "TypeError sample: no token is possible: all logits are -infinity.");
  CHECK_THAT(test::thrown([&] {
               plain.sample(std::vector<float>{1, nan});
             }),
             ContainsSubstring("logit 1 is"));
  CHECK_THAT(test::thrown([&] { plain.sample(std::vector<float>{infinite}); }),
             ContainsSubstring("logit 0 is"));
  CHECK_THAT(test::thrown([&] { plain.sample(logits, std::vector<Token>{-1}); }),
             ContainsSubstring("token before -1"));
}

}  // namespace
}  // namespace webnn::inline v0_1::lm
