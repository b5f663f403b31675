// Sequences that are generated together.
#include <algorithm>
#include <map>

#include "src/kernels/backends.h"
#include "tests/lm/model/load_random.h"
#include "tests/support/thrown.h"

namespace webnn::inline v0_1::lm {
namespace {

using test::thrown;

bool has_simd() { return std::ranges::count(backend_names(), "simd") > 0; }

Model model_of(const ModelForm& form, int threads, const LoadOptions& options = {}) {
  const gguf::Bytes bytes = RandomModel(form).bytes();
  const test::TemporaryFile file;
  file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return load(MLContext({.threads = threads}), file.path, options);
}

struct Prompt {
  Tokens tokens;
  GenerateOptions options{};
};
/// Lengths, ends and seeds that differ.
std::vector<Prompt> prompts(std::size_t count) {
  std::vector<Prompt> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    Prompt p{random_tokens(1 + i * 7 % 23, i + 1)};
    p.options = {.maxTokens = 3 + i * 5 % 19, .ignoreEnd = true};
    if (i % 3 != 0) p.options.temperature = 0.8f, p.options.seed = i;
    if (i % 4 == 1) p.options.repetitionPenalty = 1.2f;
    all.push_back(std::move(p));
  }
  return all;
}
struct Alone {
  Tokens tokens;
  std::string text;
};
Alone alone(const Model& model, const Prompt& p) {
  Generation g = model.generate(model.cache(), p.tokens, p.options);
  std::string text = g.rest();
  return {{g.tokens().begin(), g.tokens().end()}, text};
}

}  // namespace

TEST_CASE("lm: a sequence in a batch is the one that it is alone") {
  for (const char* architecture : {"llama", "qwen3", "gemma3", "gpt2"})
    for (const gguf::TensorType type : {gguf::TensorType::F32, gguf::TensorType::Q4_0}) {
      ModelForm form = small_form();
      form.architecture = architecture;
      form.type = type;
      if (form.architecture == "gemma3") form.window = 8;
      const bool is_int8 = form.architecture == "qwen3" || form.architecture == "gemma3";
      const Model model = model_of(form, 2, {.cacheType = is_int8 ? int8 : float16});
      const std::vector<Prompt> all = prompts(11);
      Batch batch = model.batch({.sequences = 4});
      for (const Prompt& p : all) batch.add(p.tokens, p.options);
      std::map<std::size_t, std::string> texts;
      std::size_t most = 0;
      bool joined = false;
      while (const auto piece = batch.next()) {
        CHECK(!piece->text.empty());
        texts[piece->sequence] += piece->text;
        most = std::max(most, batch.running());
        joined = joined || model.graph().explain().find("joined") != std::string::npos;
      }
      CHECK(most == 4);
      CHECK(joined == has_simd());
      CHECK(batch.running() == 0);
      CHECK(batch.waiting() == 0);
      INFO(architecture << ' ' << name_of(type));
      for (std::size_t i = 0; i < all.size(); ++i) {
        INFO("sequence " << i);
        const Alone expected = alone(model, all[i]);
        CHECK(std::ranges::equal(batch.tokens(i), expected.tokens));
        CHECK(batch.text(i) == expected.text);
        CHECK(texts[i] == expected.text);
        CHECK(batch.report(i).finishReason == FinishReason::length);
        CHECK(batch.report(i).tokens == all[i].options.maxTokens);
        CHECK(batch.report(i).promptTokens == all[i].tokens.size());
      }
    }
}

TEST_CASE("lm: logits in a batch have the bits of those alone, for any number of threads") {
  for (const gguf::TensorType type :
       {gguf::TensorType::F32, gguf::TensorType::F16, gguf::TensorType::Q4_0,
        gguf::TensorType::Q8_0, gguf::TensorType::Q4_K, gguf::TensorType::Q6_K}) {
    ModelForm form;
    form.type = type;
    std::vector<std::vector<float>> expected;  // by sequence
    for (const int threads : {1, 2, 3})
      for (const std::uint32_t sequences : {1u, 2u, 3u, 5u, 8u}) {
        const Model model = model_of(form, threads);
        Batch batch = model.batch({.sequences = sequences});
        const std::vector<Prompt> all = prompts(8);
        for (Prompt p : all) {
          p.options = {.maxTokens = 10,
                       .temperature = 3,
                       .seed = p.options.seed,
                       .ignoreEnd = true,
                       .logProbabilities = 20};
          batch.add(p.tokens, p.options);
        }
        batch.run();
        std::vector<std::vector<float>> found(all.size());
        for (std::size_t i = 0; i < all.size(); ++i)
          for (const Sample& s : batch.samples(i))
            for (const TokenProbability& t : s.best) {
              found[i].push_back(static_cast<float>(t.token));
              found[i].push_back(t.logProbability);
            }
        if (expected.empty()) expected = found;
        INFO(name_of(type) << ", " << threads << " threads, " << sequences << " sequences");
        CHECK((found == expected));
      }
  }
}

TEST_CASE("lm: prompts enter and leave a batch while it runs") {
  const Model model = model_of(small_form(), 2);
  const std::vector<Prompt> all = prompts(7);
  Batch batch = model.batch({.sequences = 3});
  CHECK(!batch.next());
  GenerateOptions endless{.maxTokens = 0, .ignoreEnd = true};
  const std::size_t first = batch.add(all[0].tokens, endless);
  const std::size_t second = batch.add(all[1].tokens, endless);
  for (int i = 0; i < 10; ++i) CHECK(batch.next());
  const std::size_t third = batch.add(all[2].tokens, all[2].options);
  const std::size_t fourth = batch.add(all[3].tokens, all[3].options);  // waits
  const std::size_t never = batch.add(all[4].tokens, endless);
  CHECK(first == 0);
  CHECK(never == 4);
  batch.cancel(never);
  batch.cancel(77);
  bool canceled = false;
  while (const auto piece = batch.next()) {
    if (!canceled && batch.report(third).finishReason == FinishReason::length) {
      batch.cancel(first);
      canceled = true;
    }
    if (batch.report(fourth).finishReason == FinishReason::length) batch.cancel(second);
  }
  CHECK(batch.report(first).finishReason == FinishReason::canceled);
  CHECK(batch.report(second).finishReason == FinishReason::canceled);
  CHECK(batch.report(never).finishReason == FinishReason::canceled);
  CHECK(batch.tokens(never).empty());
  for (const std::size_t i : {third, fourth})
    CHECK(std::ranges::equal(batch.tokens(i), alone(model, all[i]).tokens));
  Prompt p = all[0];
  p.options = endless;
  p.options.maxTokens = static_cast<std::uint32_t>(batch.tokens(first).size());
  CHECK(std::ranges::equal(batch.tokens(first), alone(model, p).tokens));
  batch.forget(first);
  CHECK(batch.tokens(first).empty());
  CHECK(batch.report(first).tokens == p.options.maxTokens);

  // It goes on with caches that were used, and with one of the program.
  Cache cache = model.cache();
  model.evaluate(cache, std::span(all[5].tokens).first(all[5].tokens.size() - 1));
  const std::size_t again = batch.add(all[6].tokens, all[6].options),
                    known = batch.add(cache, all[5].tokens, all[5].options);
  batch.run();
  CHECK(std::ranges::equal(batch.tokens(again), alone(model, all[6]).tokens));
  CHECK(std::ranges::equal(batch.tokens(known), alone(model, all[5]).tokens));
  CHECK(batch.report(known).cachedTokens == all[5].tokens.size() - 1);
  CHECK(batch.size() == 7);
}

TEST_CASE("lm: forks in a batch, and one that is used beside it") {
  const Model model = model_of(small_form(), 2);
  const Tokens beginning = random_tokens(40, 9), beside = random_tokens(30, 10);
  Cache base = model.cache();
  model.evaluate(base, beginning);
  Cache other = base.fork();
  std::vector<Prompt> all;
  Batch batch = model.batch({.sequences = 3});
  for (std::uint32_t i = 0; i < 5; ++i) {
    Prompt p{beginning, {.maxTokens = 6 + i, .ignoreEnd = true}};
    for (const Token t : random_tokens(1 + 2 * i, 20 + i)) p.tokens.push_back(t);
    batch.add(base.fork(), p.tokens, p.options);
    all.push_back(std::move(p));
  }
  std::vector<float> found;
  for (std::size_t i = 0; batch.next(); ++i) {  // others enter and leave meanwhile
    if (i >= beside.size()) continue;
    const auto logits = model.evaluate(other, Tokens{beside[i]});
    found.insert(found.end(), logits.begin(), logits.end());
  }
  CHECK(other.size() > 60);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(std::ranges::equal(batch.tokens(i), alone(model, all[i]).tokens));
    CHECK(batch.report(i).cachedTokens == beginning.size());
  }
  CHECK(std::ranges::equal(base.tokens(), beginning));
  Cache again = model.cache();
  model.evaluate(again, beginning);
  std::vector<float> expected;
  for (std::size_t i = 0; i + beginning.size() < other.size(); ++i) {
    const auto logits = model.evaluate(again, Tokens{beside[i]});
    expected.insert(expected.end(), logits.begin(), logits.end());
  }
  CHECK((found == expected));

  // Two sequences cannot have one cache.
  batch.add(base, all[0].tokens, all[0].options);
  const std::size_t second = batch.add(base, all[1].tokens, all[1].options);
  CHECK(thrown([&] { batch.run(); }).find("changed by something else") != std::string::npos);
  batch.run();
  CHECK(batch.report(second).finishReason == FinishReason::canceled);
  CHECK(std::ranges::equal(batch.tokens(second - 1), alone(model, all[0]).tokens));
}

TEST_CASE("lm: a batch whose caches are full, stopped or changed") {
  const Model model = model_of(small_form(), 2, {.capacity = 20});
  Batch batch = model.batch();
  const GenerateOptions endless{.maxTokens = 0, .ignoreEnd = true};
  batch.add(random_tokens(3, 1), endless);
  batch.add(random_tokens(20, 2), endless);
  batch.add(random_tokens(11, 3), endless);
  batch.run();
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(batch.report(i).finishReason == FinishReason::capacity);
    CHECK(batch.report(i).promptTokens + batch.report(i).tokens == 21);
  }

  std::stop_source stop;
  const Prompt p{random_tokens(4, 4), {.maxTokens = 9, .ignoreEnd = true}};
  const std::size_t a = batch.add(p.tokens, p.options), b = batch.add(p.tokens, p.options);
  REQUIRE(batch.next());
  stop.request_stop();
  CHECK_THROWS_AS(
      [&] {
        while (batch.next(stop.get_token())) {}
      }(),
      AbortError);
  batch.run();
  for (const std::size_t i : {a, b})
    CHECK(std::ranges::equal(batch.tokens(i), alone(model, p).tokens));

  Cache cache = model.cache();
  const std::size_t changed = batch.add(cache, p.tokens, p.options),
                    other = batch.add(p.tokens, p.options);
  REQUIRE(batch.next());
  cache.trim(0);
  CHECK(thrown([&] { batch.run(); }).starts_with("InvalidStateError generate"));
  batch.run();
  CHECK(batch.report(changed).finishReason == FinishReason::canceled);
  CHECK(std::ranges::equal(batch.tokens(other), alone(model, p).tokens));
}

TEST_CASE("lm: generate_all, and what a batch refuses") {
  const Model model = model_of(small_form(), 2);
  const std::vector<std::string> texts{"w300 w301", "w299", "w300 w301 w302 w303"};
  const GenerateOptions options{.maxTokens = 7, .temperature = 0.9f, .seed = 5};
  const std::vector<GeneratedText> all = model.generate_all(texts, options, {.sequences = 2});
  REQUIRE(all.size() == 3);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Generation g = model.generate(model.cache(), texts[i], options);
    CHECK(all[i].text == g.rest());
    CHECK(std::ranges::equal(all[i].tokens, g.tokens()));
    CHECK(all[i].report.finishReason == g.report().finishReason);
  }
  CHECK(model.generate_all({}, options).empty());
  CHECK(thrown([&] { model.batch({.sequences = 0}); }).find("sequences (0) is not 1 to 1024") !=
        std::string::npos);
  Batch batch = model.batch();
  CHECK(thrown([&] { batch.add(Tokens(), options); }).find("the prompt has no tokens") !=
        std::string::npos);
  CHECK(thrown([&] { batch.add(Tokens{900}, options); }).find("token 900 is not below 512") !=
        std::string::npos);
  CHECK(thrown([&] { batch.report(0); }).find("there is no sequence 0: 0 were added") !=
        std::string::npos);
  const Model other = model_of(small_form(), 2);
  CHECK(thrown([&] {
          batch.add(other.cache(), Tokens{5}, options);
        }).find("the cache is of another model") != std::string::npos);
  ModelForm bert = small_form();
  bert.architecture = "bert";
  CHECK(thrown([&] { model_of(bert, 1).batch(); }).starts_with("InvalidStateError batch"));
}

}  // namespace webnn::inline v0_1::lm
