#include "webnn/lm/sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
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

/// A sampler that sorts all tokens.
class Sorting {
 public:
  explicit Sorting(const SamplingOptions& o) : o_(o), state_(o.seed) {}

  Token sample(const std::vector<float>& of) {
    std::vector<Token> order;
    for (std::size_t i = 0; i < of.size(); ++i)
      if (of[i] != -infinite) order.push_back(static_cast<Token>(i));
    const auto logit = [&](Token t) { return of[static_cast<std::size_t>(t)]; };
    std::ranges::stable_sort(order, std::greater(), logit);
    if (o_.topK > 0 && o_.topK < order.size()) order.resize(o_.topK);
    // Integers, so that sums are exact.
    const double unit = std::ldexp(1, 63 - std::bit_width(of.size())), best = logit(order[0]);
    std::vector<std::uint64_t> weights;
    std::uint64_t total = 0, sum = 0;
    for (const Token t : order)
      total += weights.emplace_back(
          static_cast<std::uint64_t>(std::exp(-((best - logit(t)) / o_.temperature)) * unit));
    std::size_t count = 0;
    const double part = static_cast<double>(o_.topP) * static_cast<double>(total);
    while (count == 0 || (count < order.size() && static_cast<double>(sum) < part))
      sum += weights[count++];
    while (static_cast<double>(weights[count - 1]) < o_.minP * unit) --count;
    weights.resize(count);
    sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
    const auto point = static_cast<std::uint64_t>(random() * static_cast<double>(sum));
    std::size_t at = 0;
    for (std::uint64_t before = weights[0]; before <= point;) before += weights[++at];
    return order[at];
  }

 private:
  double random() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
  }

  SamplingOptions o_;
  std::uint64_t state_;
};

TEST_CASE("sampling: the tokens of a sampler that sorts all of them") {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::size_t different = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint32_t size = 1 + below(round % 4 == 0 ? 20'000 : 300);
    // How far logits are from each other, and how many are equal.
    const float range = std::ldexp(1.f, static_cast<int>(below(12)) - 5);
    const std::uint32_t steps = 1 + below(below(2) == 0 ? 7 : 1'000'000);
    std::vector<float> all(size);
    for (float& x : all) {
      x = range * static_cast<float>(below(steps)) / static_cast<float>(steps);
      if (below(10) == 0) x = -infinite;
    }
    all[below(size)] = range;
    if (below(4) == 0) all[below(size)] = -1e30f;
    if (below(4) == 0) all[below(size)] = 100 * range;
    SamplingOptions o{.temperature = std::ldexp(1.f, static_cast<int>(below(8)) - 4),
                      .seed = random()};
    if (below(2) == 0) o.topK = 1 + below(below(2) == 0 ? 50 : size + 5);
    if (below(2) == 0) o.topP = static_cast<float>(1 + below(1000)) / 1000;
    if (below(3) == 0) o.minP = static_cast<float>(below(1001)) / 1000;
    Sampler sampler(o);
    Sorting sorting(o);
    CAPTURE(round, size, range, steps, o.temperature, o.topK, o.topP, o.minP);
    Token before = -1;
    for (int i = 0; i < 20; ++i) {
      const Token t = sampler.sample(all).token;
      REQUIRE(t == sorting.sample(all));
      different += t != before;
      before = t;
    }
  }
  CHECK(different > 4000);
}

TEST_CASE("sampling: a bias that no float holds") {
  const float most = std::numeric_limits<float>::max();
  Sampler sampler({.temperature = 1, .repetitionPenalty = 0.5f, .bias = {{2, most}, {0, -most}}});
  for (int i = 0; i < 5; ++i)
    CHECK(sampler.sample(std::vector<float>{-most, 1, most}, std::vector<Token>{2}).token == 2);
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
             ContainsSubstring("the earlier token -1"));
}

}  // namespace
}  // namespace webnn::inline v0_1::lm
