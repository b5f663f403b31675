// Networks of .gguf files, compared with loops in double precision.
#include "tests/lm/model/load_random.h"
#include "tests/lm/model/plain_forward.h"

namespace webnn::inline v0_1::lm {
namespace {

using gguf::TensorType;
/// The largest difference over the largest logit.
double difference(std::span<const float> logits, const PlainForward::Rows& rows) {
  double worst = 0, largest = 0;
  std::size_t i = 0;
  for (const auto& row : rows)
    for (const double v : row) {
      worst = std::max(worst, std::abs(v - double{logits[i++]}));
      largest = std::max(largest, std::abs(v));
    }
  CHECK(i == logits.size());
  return worst / largest;
}

/// A prompt and steps: the logits of all tokens.
std::vector<float> logits_of(const Model& model, const Tokens& tokens, std::size_t prompt) {
  Cache cache = model.cache();
  const std::span<const Token> all(tokens);
  std::vector<float> logits =
      model.evaluate(cache, all.first(prompt), static_cast<std::uint32_t>(prompt));
  for (std::size_t i = prompt; i < tokens.size(); ++i) {
    const auto row = model.evaluate(cache, all.subspan(i, 1));
    logits.insert(logits.end(), row.begin(), row.end());
  }
  CHECK(cache.size() == tokens.size());
  return logits;
}

void check(const RandomModel& m, const LoadOptions& options, double tolerance,
           std::initializer_list<std::size_t> prompts = {1, 7, 33}) {
  INFO(m.architecture << ' ' << gguf::name_of(m.type));
  const Model model = load_random(m, options);
  for (const std::size_t prompt : prompts) {
    const Tokens tokens = random_tokens(prompt + 64, static_cast<std::uint32_t>(prompt));
    const auto expected = PlainForward(m).logits(tokens);
    INFO("prompt of " << prompt);
    CHECK(difference(logits_of(model, tokens, prompt), expected) < tolerance);
  }
}

}  // namespace

TEST_CASE("lm: networks of float32 have the logits of plain loops") {
  for (const char* architecture : {"llama", "qwen2", "qwen3", "gemma3", "phi3", "gpt2"}) {
    ModelForm m{.architecture = architecture};
    if (m.architecture == "gpt2") m.keyHeads = m.heads;
    if (m.architecture == "gemma3") m.layers = 7, m.window = 8, m.base = 1e6;
    check(RandomModel(m), {.cacheType = float32}, 1e-5);
  }
}

TEST_CASE("lm: each type of weights has the logits of its exact values") {
  for (const TensorType type :
       {TensorType::F16, TensorType::BF16, TensorType::Q8_0, TensorType::Q4_0, TensorType::Q5_0,
        TensorType::Q4_1, TensorType::Q5_1, TensorType::Q4_K, TensorType::Q5_K, TensorType::Q6_K})
    check(RandomModel({.type = type, .tied = true}), {.cacheType = float32}, 3e-5, {7});
}

TEST_CASE("lm: keys and values of float16, factors of the rotation, a prompt in parts") {
  check(RandomModel({}), {}, 1e-3, {33});
  check(RandomModel({.factors = true}), {.cacheType = float32}, 1e-5, {7});
  check(RandomModel({.seed = 5}), {.cacheType = float32, .batch = 8}, 1e-5, {33});
  check(RandomModel({.heads = 4, .keyHeads = 1, .headSize = 32}), {.cacheType = float32}, 1e-5,
        {7});
}

TEST_CASE("lm: keys and values of int8 in blocks and of bfloat16 are rounded as they should be") {
  for (const auto& [architecture, type] : {std::pair("llama", int8),
                                           {"gemma3", int8},
                                           {"gpt2", int8},
                                           {"llama", bfloat16},
                                           {"gemma3", bfloat16},
                                           {"gpt2", bfloat16}}) {
    ModelForm form{.architecture = architecture};
    if (form.architecture == "gpt2") form.keyHeads = form.heads;
    if (form.architecture == "gemma3") form.layers = 7, form.window = 8, form.base = 1e6;
    const RandomModel m(form);
    INFO(architecture << ' ' << name_of(type));
    const Model model = load_random(m, {.cacheType = type});
    const Tokens tokens = random_tokens(33 + 64, 33);
    PlainForward exact(m), rounded(m);
    (type == int8 ? rounded.in_blocks : rounded.in_bfloat16) = true;
    const std::vector<float> logits = logits_of(model, tokens, 33);
    const double to_rounded = difference(logits, rounded.logits(tokens)),
                 to_exact = difference(logits, exact.logits(tokens));
    INFO(to_rounded << " of the rounded, " << to_exact << " of the exact values");
    // An element between two numbers may be rounded to the other one.
    CHECK(to_rounded < 1e-3);
    CHECK(to_rounded < to_exact / 4);
    CHECK(to_exact < 0.02);
  }
}

TEST_CASE("lm: bert makes embeddings") {
  const RandomModel m({.architecture = "bert", .keyHeads = 4});
  const Model model = load_random(m);
  for (const std::size_t n : {1, 7, 33}) {
    const Tokens tokens = random_tokens(n, 3);
    const auto expected = PlainForward(m).embedding(tokens);
    CHECK(difference(model.embed(tokens), {expected}) < 1e-5);
  }
  CHECK_THROWS_AS(model.cache(), InvalidStateError);
}

}  // namespace webnn::inline v0_1::lm
