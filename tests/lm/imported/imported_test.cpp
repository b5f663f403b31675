// Folders of ONNX Runtime GenAI and of Optimum have the logits and the text of .gguf files with the
// same weights.
#include <algorithm>

#include "tests/lm/imported/onnx_folder.h"
#include "tests/lm/model/load_random.h"
#include "tests/support/thrown.h"

namespace webnn::inline v0_1::lm {
namespace {

namespace fs = std::filesystem;
using Attention = OnnxForm::Attention;

struct Folder {
  test::TemporaryFile folder{};

  Folder(const RandomModel& m, const OnnxForm& form) { write_folder(folder.path, m, form); }
  fs::path at(const char* name) const { return fs::path(folder.path) / name; }
  void put(const char* name, const std::string& text) const { std::ofstream(at(name)) << text; }
  Model load(const LoadOptions& options = {}) const {
    return lm::load(MLContext(), folder.path, options);
  }
};

using lm::difference;

/// The greatest difference of logits after a prompt and after steps.
double difference(const Model& one, const Model& other, std::size_t prompt, std::size_t steps) {
  const Tokens tokens = random_tokens(prompt + steps, 5);
  const std::span<const Token> all(tokens);
  Cache a = one.cache(), b = other.cache();
  const auto rows = static_cast<std::uint32_t>(prompt);
  double worst = difference(one.evaluate(a, all.first(prompt), rows),
                            other.evaluate(b, all.first(prompt), rows));
  for (std::size_t i = prompt; i < all.size(); ++i)
    worst = std::max(worst, difference(one.evaluate(a, all.subspan(i, 1)),
                                       other.evaluate(b, all.subspan(i, 1))));
  return worst;
}

RandomModel random_llama(gguf::TensorType type = gguf::TensorType::F32) {
  ModelForm form{.type = type, .width = 64, .heads = 4, .keyHeads = 2, .headSize = 32, .inner = 96};
  return RandomModel(form);
}
Model as_gguf(const RandomModel& m) { return load_random(m, {.cacheType = float32}); }

void has(const std::string& text, std::string_view part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("lm: an .onnx folder has the logits of a .gguf file") {
  const RandomModel m = random_llama();
  const Model expected = as_gguf(m);
  const std::vector<OnnxForm> forms{{},
                                    {.attention = Attention::packed},
                                    {.attention = Attention::plain},
                                    {.shared = 256},
                                    {.interleaved = true},
                                    {.attention = Attention::plain, .interleaved = true},
                                    {.last_row = true}};
  for (const OnnxForm& form : forms) {
    CAPTURE(int(form.attention), form.shared, form.interleaved, form.last_row);
    const Model model = Folder(m, form).load();
    CHECK(model.info().capacity == 256);
    if (form.attention != Attention::plain)  // which has other numbers
      CHECK(model.info().parameters == expected.info().parameters + 2 * 256 * 16);  // the angles
    for (const std::size_t prompt : {1, 7, 33})
      CHECK(difference(expected, model, prompt, 20) < 2e-6);
  }
}

TEST_CASE("lm: weights of 4 and 8 bits in an .onnx folder") {
  for (const gguf::TensorType type : {gguf::TensorType::Q4_0, gguf::TensorType::Q8_0}) {
    const RandomModel m = random_llama(type);
    const Model model = Folder(m, {}).load();
    CHECK(difference(as_gguf(m), model, 7, 20) < 2e-6);
    INFO(to_text(model.info()));
    CHECK(std::ranges::any_of(model.info().weights, [&](const WeightReport& w) {
      return w.tensors == 15 &&
             w.kept == (type == gguf::TensorType::Q4_0 ? "uint4, scales for blocks of 32"
                                                       : "uint8, scales for blocks of 32");
    }));
  }
}

TEST_CASE("lm: an .onnx folder of FLOAT16") {
  const RandomModel m = random_llama();
  for (const Attention attention : {Attention::grouped, Attention::plain})
    CHECK(difference(as_gguf(m), Folder(m, {.attention = attention, .half = true}).load(), 7, 20) <
          4e-3);
}

TEST_CASE("lm: an .onnx folder of BFLOAT16") {
  const RandomModel m = random_llama();
  for (const Attention attention : {Attention::grouped, Attention::packed, Attention::plain}) {
    CAPTURE(int(attention));
    const Model model = Folder(m, {.attention = attention, .brain = true}).load();
    CHECK(difference(as_gguf(m), model, 7, 20) < 2e-2);
    Cache cache = model.cache();
    const Tokens all = random_tokens(20, 4);
    const std::span<const Token> list(all);
    model.evaluate(cache, list.first(13));
    const test::TemporaryFile file;
    cache.fork().save(file.path);
    Cache loaded = model.load_cache(file.path);
    CHECK(model.evaluate(loaded, list.subspan(13, 2)) ==
          model.evaluate(cache, list.subspan(13, 2)));
  }
}

TEST_CASE("lm: the window of an .onnx folder") {
  const RandomModel m = random_llama();
  const Model all = Folder(m, {}).load(), some = Folder(m, {.window = 8}).load();
  const Tokens tokens = random_tokens(20, 5);
  Cache a = all.cache(), b = some.cache();
  all.evaluate(a, std::span(tokens).first(8));
  // A layer sees what another one has made of the tokens before.
  CHECK(difference(all.evaluate(a, std::span(tokens).subspan(8)),
                   some.evaluate(b, std::span(tokens))) > 1e-4);
  Cache whole = some.cache(), parts = some.cache();
  const auto expected = some.evaluate(whole, tokens, 20);
  std::vector<float> steps;
  for (const Token t : tokens)
    for (const float v : some.evaluate(parts, Tokens{t})) steps.push_back(v);
  CHECK(difference(expected, steps) < 2e-6);
}

TEST_CASE("lm: text and caches of an .onnx folder") {
  const RandomModel m = random_llama(gguf::TensorType::Q4_0);
  for (const OnnxForm& form :
       {OnnxForm{}, OnnxForm{.attention = Attention::plain}, OnnxForm{.shared = 256}}) {
    const Folder folder(m, form);
    const Model one = as_gguf(m), other = folder.load();
    const GenerateOptions options{.maxTokens = 30, .ignoreEnd = true};
    const std::string prompt = "w300 w301 w302";
    const Tokens tokens = one.tokenizer().encode(prompt);
    Generation g = one.generate(one.cache(), tokens, options),
               h = other.generate(other.cache(), tokens, options);
    CHECK(h.rest() == g.rest());
    CHECK(std::ranges::equal(g.tokens(), h.tokens()));

    Cache cache = other.cache();
    const Tokens all = random_tokens(20, 4);
    const std::span<const Token> list(all);
    other.evaluate(cache, list.first(10));
    const auto expected = other.evaluate(cache, list.subspan(10, 3));
    Cache fork = cache.fork();
    fork.trim(10);
    CHECK(difference(other.evaluate(fork, list.subspan(10, 3)), expected) < 1e-6);
    const test::TemporaryFile file;
    fork.save(file.path);
    Cache loaded = other.load_cache(file.path);
    CHECK(loaded.size() == 13);
    CHECK(other.evaluate(loaded, list.subspan(13, 2)) == other.evaluate(fork, list.subspan(13, 2)));
    CHECK_THROWS_AS(one.load_cache(file.path), DataError);
    Generation again = other.generate(cache, Tokens(list.begin(), list.begin() + 13), options);
    again.next();
    CHECK(again.report().cachedTokens == 12);
  }
}

TEST_CASE("lm: steps of an .onnx folder write into the cache") {
  for (const Attention attention : {Attention::grouped, Attention::packed, Attention::plain})
    for (const OnnxForm& form : {OnnxForm{}, OnnxForm{.half = true}, OnnxForm{.brain = true}}) {
      // A mask of float16, which the file writes out, is cast.
      if ((form.half || form.brain) && attention == Attention::plain) continue;
      CAPTURE(int(attention), form.half, form.brain);
      OnnxForm all = form;
      all.attention = attention;
      const Model model = Folder(random_llama(), all).load();
      Cache cache = model.cache();
      model.evaluate(cache, random_tokens(5, 1));
      model.evaluate(cache, Tokens{5});
      const std::string plan = model.graph().explain();
      INFO(plan);
      for (const char* kernel : {"append rows", "attention of few rows"}) {
        CAPTURE(kernel);
        CHECK(plan.find(kernel) != std::string::npos);
      }
      const std::size_t memory = model.graph().memory().total();
      for (Token t = 5; t < 60; ++t) model.evaluate(cache, Tokens{t});
      CHECK(model.graph().memory().total() == memory);
    }
}

TEST_CASE("lm: what genai_config.json says of generation") {
  const RandomModel m = random_llama();
  const Folder f(m, {});
  const std::string config = OnnxLlama(m, {}).config();
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = config;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    f.put("genai_config.json", changed.replace(at, from.size(), to));
  };
  CHECK(f.load().defaults().temperature == 0);
  with(R"("do_sample":false,"max_length":256)",
       R"("do_sample":true,"max_length":100,"min_p":0.25)");
  const Model model = f.load();
  CHECK(model.info().contextLength == 256);
  CHECK(model.info().capacity == 100);
  CHECK(f.load({.capacity = 200}).info().capacity == 200);
  CHECK(model.defaults().maxTokens == 100);
  CHECK(model.defaults().temperature == 1);
  CHECK(model.defaults().topK == 1);
  CHECK(model.defaults().minP == 0.25f);
  CHECK(std::vector(model.end_tokens().begin(), model.end_tokens().end()) == Tokens{2});
  with(R"("eos_token_id":[2])", R"("eos_token_id":[7,9])");
  const Model other = f.load();
  CHECK(std::vector(other.end_tokens().begin(), other.end_tokens().end()) == Tokens{7, 9});
  CHECK(other.info().architecture == "llama");
  CHECK(other.has_tokenizer());
}

TEST_CASE("lm: a genai_config.json that does not fit") {
  const RandomModel m = random_llama();
  const Folder f(m, {});
  const std::string config = OnnxLlama(m, {}).config();
  const auto refused = [&](std::string_view from, std::string_view to) {
    std::string changed = config;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    f.put("genai_config.json", changed.replace(at, from.size(), to));
    return test::thrown([&] { f.load(); });
  };
  has(refused("{\"model\":", "{\"mode\":"), "model is missing");
  has(refused("{\"model\":", "[\"model\"]"), "DataError");
  has(refused("\"context_length\":256", "\"context_length\":0"), "context_length is missing or 0");
  has(refused("\"context_length\":256", "\"context_length\":-1"), "DataError lm");
  has(refused("\"context_length\":256", "\"context_length\":\"long\""), "model.context_length: ");
  has(refused("\"vocab_size\":512", "\"vocab_size\":513"),
      "\"logits\" has 512 elements for a token, and vocab_size is 513");
  has(refused("\"num_hidden_layers\":2", "\"num_hidden_layers\":3"),
      "the model has no input \"past_key_values.2.key\"");
  has(refused("\"num_hidden_layers\":2", "\"num_hidden_layers\":100000"), "is above 4096");
  has(refused("past_key_values.%d.key", "past_key_values.key"),
      "past_key_names: \"past_key_values.key\" has no %d");
  has(refused("present.%d.value", "presents.%d.value"),
      "the model has no output \"presents.0.value\"");
  has(refused("\"input_ids\":\"input_ids\"", "\"input_ids\":\"ids\""),
      "the model has no input \"ids\"");
  has(refused("\"attention_mask\":\"attention_mask\"", "\"attention_mask\":\"mask\""),
      "the model has an input \"attention_mask\" that is not known");
  has(refused("\"logits\":\"logits\"", "\"logits\":\"scores\""), "no output \"scores\"");
  has(refused("model.onnx", "../model.onnx"), "is not a file of the folder");
  has(refused("model.onnx", "other.onnx"), "other.onnx");
  has(refused("model.onnx", "tokenizer.json"), "DataError");
  has(refused("\"num_beams\":1", "\"num_beams\":4"), "NotSupportedError");
  has(refused("\"num_beams\":1", "\"num_beams\":4"), "search.num_beams: 4 beams are not supported");
  has(refused("\"temperature\":1.0", "\"temperature\":-1,\"do_sample\":true"), "DataError");
  has(refused("\"repetition_penalty\":1.0", "\"repetition_penalty\":0"),
      "search.repetition_penalty: 0 is not from");
  has(refused("\"num_hidden_layers\"", "\"pipeline\":[{\"a\":{}}],\"num_hidden_layers\""),
      "model.decoder.pipeline: a pipeline of several models is not supported");
  has(refused("\"decoder\":", "\"vision\":{\"filename\":\"vision.onnx\"},\"decoder\":"),
      "model.vision: a part of another model is not supported");
  has(refused("\"decoder\":", "\"encoder\":{\"filename\":\"encoder.onnx\"},\"decoder\":"),
      "model.encoder: an encoder is not supported");
  has(refused("\"num_hidden_layers\"",
              "\"sliding_window\":{\"window_size\":64},\"num_hidden_layers\""),
      "the file of the model has no such window");
  f.put("genai_config.json", "{");
  has(test::thrown([&] { f.load(); }), "DataError");
  f.put("genai_config.json", config);
  CHECK(f.load().info().layers == 2);
  const auto with_batch = Folder(m, {});
  has(test::thrown([&] { f.load({.capacity = 257}); }),
      "capacity (257) is beyond the context of the model (256)");
}

TEST_CASE("lm: a folder of Optimum") {
  const RandomModel m = random_llama();
  const Folder f(m, {.attention = Attention::plain});
  fs::remove(f.at("genai_config.json"));
  has(test::thrown([&] { f.load(); }), "the folder has no config.json");
  f.put(
      "config.json",
      R"({"model_type":"odd","max_position_embeddings":128,"vocab_size":512,"eos_token_id":[3,4]})");
  f.put("generation_config.json",
        R"({"eos_token_id":5,"do_sample":true,"temperature":0.5,"top_k":20})");
  const Model model = f.load();
  CHECK(model.info().architecture == "odd");
  CHECK(model.info().capacity == 128);
  CHECK(model.defaults().temperature == 0.5f);
  CHECK(std::vector(model.end_tokens().begin(), model.end_tokens().end()) == Tokens{3, 4, 5});
  CHECK(difference(as_gguf(m), model, 7, 5) < 2e-6);
  f.put("config.json", R"({"model_type":"odd"})");
  has(test::thrown([&] { f.load(); }), "max_position_embeddings is missing");
}

}  // namespace webnn::inline v0_1::lm
