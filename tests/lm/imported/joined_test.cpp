// Sequences that are generated together by a network in an .onnx file.
#include <algorithm>
#include <cmath>

#include "src/kernels/backends.h"
#include "tests/lm/imported/onnx_folder.h"
#include "tests/lm/model/load_random.h"

namespace webnn::inline v0_1::lm {
namespace {

using Attention = OnnxForm::Attention;

bool has_simd() { return std::ranges::count(backend_names(), "simd") > 0; }

Model load_folder(const RandomModel& m, const OnnxForm& form, const LoadOptions& options = {}) {
  const test::TemporaryFile folder;
  write_folder(folder.path, m, form);
  return load(MLContext({.threads = 2}), folder.path, options);
}

RandomModel random_llama(gguf::TensorType type, std::uint32_t key_heads = 2,
                         std::uint32_t context = 256) {
  return RandomModel({.type = type,
                      .width = 64,
                      .heads = 4,
                      .keyHeads = key_heads,
                      .headSize = 32,
                      .inner = 96,
                      .context = context});
}

struct Prompt {
  Tokens tokens;
  GenerateOptions options{};
};
std::vector<Prompt> prompts(std::size_t count) {
  std::vector<Prompt> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    Prompt p{random_tokens(1 + i * 7 % 23, i + 1)};
    p.options = {.maxTokens = 3 + i * 5 % 19, .ignoreEnd = true};
    if (i % 3 == 0) p.options.temperature = 0.8f, p.options.seed = i;
    all.push_back(std::move(p));
  }
  return all;
}

/// The logarithm of the probability of each token after a prompt, all computed at once.
std::vector<float> log_probabilities(const Model& model, const Tokens& prompt,
                                     std::span<const Token> tokens) {
  Tokens all = prompt;
  all.insert(all.end(), tokens.begin(), tokens.end() - 1);
  Cache cache = model.cache();
  const std::vector<float> logits =
      model.evaluate(cache, all, static_cast<std::uint32_t>(tokens.size()));
  const std::size_t vocabulary = model.info().vocabulary;
  std::vector<float> result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto row = std::span(logits).subspan(i * vocabulary, vocabulary);
    double sum = 0;
    for (const float v : row) sum += std::exp(double{v});
    result.push_back(row[static_cast<std::size_t>(tokens[i])] - static_cast<float>(std::log(sum)));
  }
  return result;
}

/// Whether a batch ran several sequences at once. They have the tokens that they have alone, unless
/// float16 or bfloat16 values between operators, which differences in the order of sums round to
/// neighbors, lead to others; these then have the probabilities that they have alone, up to
/// `rounding`.
bool is_joined(const Model& model, float rounding = 0) {
  std::vector<Prompt> all = prompts(11);
  for (Prompt& p : all) p.options.logProbabilities = 1;
  Batch batch = model.batch({.sequences = 4});
  for (const Prompt& p : all) batch.add(p.tokens, p.options);
  bool joined = false;
  while (batch.next())
    joined = joined || model.graph().explain().find("joined") != std::string::npos;
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO("sequence " << i);
    Generation g = model.generate(model.cache(), all[i].tokens, all[i].options);
    const std::string text = g.rest();
    if (rounding == 0) {
      CHECK(std::ranges::equal(batch.tokens(i), g.tokens()));
      CHECK(batch.text(i) == text);
    }
    const auto expected = log_probabilities(model, all[i].tokens, batch.tokens(i));
    REQUIRE(batch.samples(i).size() == expected.size());
    for (std::size_t t = 0; t < expected.size(); ++t)
      CHECK(std::abs(batch.samples(i)[t].logProbability - expected[t]) <
            (rounding > 0 ? rounding : 1e-4f));
  }
  return joined;
}

}  // namespace

TEST_CASE("lm: sequences of an .onnx folder are joined") {
  const std::vector<OnnxForm> forms{{},
                                    {.attention = Attention::packed},
                                    {.half = true},
                                    {.brain = true},
                                    {.shared = 256},
                                    {.window = 8},
                                    {.window = 8, .first_only = true},
                                    {.interleaved = true},
                                    {.last_row = true}};
  for (const gguf::TensorType type : {gguf::TensorType::F32, gguf::TensorType::Q4_0})
    for (const std::uint32_t key_heads : {1u, 2u, 4u})
      for (const OnnxForm& form : forms) {
        // The writer has no product of several quantized matrices.
        if (form.attention == Attention::packed && type != gguf::TensorType::F32) continue;
        CAPTURE(name_of(type), key_heads, int(form.attention), form.half, form.brain, form.shared,
                form.window, form.first_only, form.interleaved, form.last_row);
        const float rounding = form.half ? 5e-3f : form.brain ? 4e-2f : 0;
        CHECK(is_joined(load_folder(random_llama(type, key_heads), form), rounding) == has_simd());
      }
}

TEST_CASE("lm: an .onnx folder whose sequences are not joined") {
  const RandomModel m = random_llama(gguf::TensorType::Q4_0);
  // Its mask is a part of the file.
  CHECK(!is_joined(load_folder(m, {.attention = Attention::plain})));
  // Attention in place has no cap of scores.
  CHECK(!is_joined(load_folder(m, {.softcap = 3})));
  // It does not show what seqlens_k is.
  CHECK(!is_joined(load_folder(m, {.hidden = true})));
}

TEST_CASE("lm: an .onnx folder whose layers have a window gives back rows") {
  const RandomModel m = random_llama(gguf::TensorType::Q4_0, 2, 2048);
  for (const bool first_only : {false, true}) {
    const OnnxForm form{.window = 32, .first_only = first_only};
    const Model keeps = load_folder(m, form), gives = load_folder(m, form, {.releaseRows = true});
    const Tokens tokens = random_tokens(1200, 4);
    const std::span<const Token> all(tokens);
    Cache one = keeps.cache(), two = gives.cache();
    keeps.evaluate(one, all.first(1100));
    gives.evaluate(two, all.first(1100));
    for (std::size_t i = 1100; i < 1200; i += 4)
      CHECK(keeps.evaluate(one, all.subspan(i, 4), 4) == gives.evaluate(two, all.subspan(i, 4), 4));
    CHECK_THROWS_AS(two.trim(600), TypeError);
  }
}

}  // namespace webnn::inline v0_1::lm
