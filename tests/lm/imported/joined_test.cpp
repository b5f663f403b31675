// Sequences that are generated together by a network in an .onnx file.
#include <algorithm>

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

/// Whether a batch, whose sequences have the tokens that they have alone, ran several at once.
bool is_joined(const Model& model) {
  const std::vector<Prompt> all = prompts(11);
  Batch batch = model.batch({.sequences = 4});
  for (const Prompt& p : all) batch.add(p.tokens, p.options);
  bool joined = false;
  while (batch.next())
    joined = joined || model.graph().explain().find("joined") != std::string::npos;
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO("sequence " << i);
    Generation g = model.generate(model.cache(), all[i].tokens, all[i].options);
    const std::string text = g.rest();
    CHECK(std::ranges::equal(batch.tokens(i), g.tokens()));
    CHECK(batch.text(i) == text);
  }
  return joined;
}

}  // namespace

TEST_CASE("lm: sequences of an .onnx folder are joined") {
  const std::vector<OnnxForm> forms{{},
                                    {.attention = Attention::packed},
                                    {.half = true},
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
        CAPTURE(name_of(type), key_heads, int(form.attention), form.half, form.shared, form.window,
                form.first_only, form.interleaved, form.last_row);
        CHECK(is_joined(load_folder(random_llama(type, key_heads), form)) == has_simd());
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
