// Caches, text piece by piece, and conversations.
#include <algorithm>

#include "tests/lm/model/load_random.h"
#include "tests/support/thrown.h"

namespace webnn::inline v0_1::lm {
namespace {

const Model& small_model() {
  static const Model model = load_random(RandomModel(small_form()));
  return model;
}

/// The greatest logit after each token, one run for each length: no cache.
Tokens greedy(const Model& model, Tokens tokens, std::size_t count) {
  Tokens chosen;
  while (chosen.size() < count) {
    Cache cache = model.cache();
    const auto logits = model.evaluate(cache, tokens);
    chosen.push_back(static_cast<Token>(std::ranges::max_element(logits) - logits.begin()));
    tokens.push_back(chosen.back());
  }
  return chosen;
}

bool is_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    const std::size_t n = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c >= 0x80 && c < 0xc2) return false;
    for (std::size_t k = 1; k < n; ++k)
      if (i + k >= s.size() || (static_cast<unsigned char>(s[i + k]) & 0xc0) != 0x80) return false;
    i += n;
  }
  return true;
}

}  // namespace

TEST_CASE(
    "lm: pieces are the text of the greedy tokens, and a prompt that is known is not computed") {
  const Model& model = small_model();
  const Tokens prompt = model.tokenizer().encode("w300 w301");
  const Tokens expected = greedy(model, prompt, 12);
  const GenerateOptions options{.maxTokens = 12, .ignoreEnd = true};

  Generation g = model.generate("w300 w301", options);
  std::string text;
  for (const std::string_view piece : g) {
    CHECK(!piece.empty());
    CHECK(is_utf8(piece));
    text += piece;
  }
  CHECK(std::ranges::equal(g.tokens(), expected));
  TokenStream stream(model.tokenizer());
  std::string whole;
  for (const Token t : expected) whole += stream.put(t);
  CHECK(text == whole + stream.finish());
  CHECK(g.report().finishReason == FinishReason::length);
  CHECK(g.report().promptTokens == prompt.size());
  CHECK(g.report().cachedTokens == 0);
  CHECK(g.report().tokens == 12);
  CHECK(g.report().tokens_per_second() > 0);
  CHECK(g.report().prompt_tokens_per_second() > 0);

  Cache cache = model.cache();
  CHECK(model.generate(cache, "w300 w301", options).rest() == text);
  CHECK(cache.size() == prompt.size() + 11);  // the last token was not read
  Generation again = model.generate(cache, "w300 w301", options);
  CHECK(again.rest() == text);
  CHECK(again.report().cachedTokens == prompt.size() - 1);  // one is computed for its logits
  Generation other = model.generate(cache, "w300 w302", options);
  other.rest();
  const Tokens changed = model.tokenizer().encode("w300 w302");
  const auto same = std::ranges::mismatch(prompt, changed).in1 - prompt.begin();
  CHECK(other.report().cachedTokens == static_cast<std::size_t>(same));
  CHECK(std::ranges::equal(other.tokens(), greedy(model, changed, 12)));
}

TEST_CASE("lm: what ends a text") {
  const Model& model = small_model();
  const Tokens expected = greedy(model, model.tokenizer().encode("w300"), 30);
  GenerateOptions options{.maxTokens = 30, .ignoreEnd = true};
  const std::string text = model.generate("w300", options).rest();

  options.stopTokens = {expected[4]};
  Generation by_token = model.generate("w300", options);
  by_token.rest();
  const auto first = std::ranges::find(expected, expected[4]) - expected.begin();
  CHECK(by_token.tokens().size() == static_cast<std::size_t>(first) + 1);
  CHECK(by_token.report().finishReason == FinishReason::stop);

  options.stopTokens.clear();
  const std::size_t middle = text.size() / 2;
  options.stop = {text.substr(middle, 5), "never"};
  Generation by_text = model.generate("w300", options);
  std::string cut;
  for (const std::string_view piece : by_text) cut += piece;
  CHECK(cut == text.substr(0, text.find(options.stop[0])));
  CHECK(by_text.report().finishReason == FinishReason::stop);

  options.stop = {text + "more"};  // all is held until the end
  CHECK(model.generate("w300", options).rest() == text);

  const Model narrow = load_random(RandomModel(small_form()), {.capacity = 16});
  Generation full = narrow.generate("w300", {.maxTokens = 0, .ignoreEnd = true});
  full.rest();
  CHECK(full.report().finishReason == FinishReason::capacity);
  CHECK(full.report().promptTokens + full.tokens().size() == 17);

  // Only the end is possible.
  Generation ended = model.generate("w300", {.bias = {{2, 1e6f}}});
  CHECK(ended.rest().empty());
  CHECK(ended.report().finishReason == FinishReason::end);
  CHECK(ended.tokens().size() == 1);
}

TEST_CASE("lm: a seed gives the same text") {
  const Model& model = small_model();
  const GenerateOptions options{
      .maxTokens = 20, .temperature = 5, .topK = 100, .topP = 0.9f, .seed = 7, .ignoreEnd = true};
  GenerateOptions other = options;
  other.seed = 8;
  const std::string text = model.generate("w300", options).rest();
  CHECK(model.generate("w300", options).rest() == text);
  CHECK(model.generate("w300", other).rest() != text);
}

TEST_CASE("lm: caches are trimmed, forked, saved and loaded") {
  for (const MLOperandDataType type : {float16, bfloat16, float32, int8}) {
    const Model model = load_random(RandomModel(small_form()), {.cacheType = type});
    const Tokens tokens = random_tokens(20, 4);
    const std::span<const Token> all(tokens);
    Cache cache = model.cache();
    model.evaluate(cache, all.first(10));
    const auto expected = model.evaluate(cache, all.subspan(10, 3));

    Cache fork = cache.fork();
    fork.trim(10);
    CHECK(cache.size() == 13);
    CHECK(model.evaluate(fork, all.subspan(10, 3)) == expected);

    const test::TemporaryFile file;
    fork.save(file.path);
    Cache loaded = model.load_cache(file.path);
    CHECK(std::ranges::equal(loaded.tokens(), fork.tokens()));
    CHECK(model.evaluate(loaded, all.subspan(13, 2)) == model.evaluate(fork, all.subspan(13, 2)));

    model.cache().save(file.path);
    CHECK(model.load_cache(file.path).size() == 0);
    ModelForm form = small_form();
    form.seed = 2;
    const Model another = load_random(RandomModel(form), {.cacheType = type});
    CHECK_THROWS_AS(another.load_cache(file.path), DataError);
    CHECK_THROWS_AS(another.evaluate(cache, all), TypeError);
    CHECK_THROWS_AS(cache.trim(14), TypeError);
  }
}

TEST_CASE("lm: layers with a window give back rows that no token sees") {
  ModelForm form = small_form();
  form.architecture = "gemma3";
  form.layers = 6, form.window = 32, form.context = 2048, form.keyHeads = 2, form.headSize = 128;
  for (const MLOperandDataType type : {float16, int8}) {
    const RandomModel m(form);
    const Model keeps = load_random(m, {.capacity = 2048, .cacheType = type}),
                gives = load_random(m, {.capacity = 2048, .cacheType = type, .releaseRows = true});
    const Tokens tokens = random_tokens(1500, 4);
    const std::span<const Token> all(tokens);
    Cache one = keeps.cache(), two = gives.cache();
    keeps.evaluate(one, all.first(1400));
    gives.evaluate(two, all.first(1400));
    for (std::size_t i = 1400; i < 1500; i += 4)
      CHECK(keeps.evaluate(one, all.subspan(i, 4), 4) == gives.evaluate(two, all.subspan(i, 4), 4));

    // Tokens that still see all of their window:
    Cache fork = two.fork();
    const test::TemporaryFile file;
    two.save(file.path);
    Cache loaded = gives.load_cache(file.path), elsewhere = keeps.load_cache(file.path);
    one.trim(1300);
    const auto expected = keeps.evaluate(one, all.subspan(1300, 3), 3);
    for (Cache* c : {&two, &fork, &loaded, &elsewhere}) {
      c->trim(1300);
      const Model& model = c == &elsewhere ? keeps : gives;
      CHECK(model.evaluate(*c, all.subspan(1300, 3), 3) == expected);
      CHECK(test::thrown([&] { c->trim(1000); }).find("have released 11") != std::string::npos);
      CHECK(c->size() == 1303);
    }
    // A prompt that is known up to there is computed from its beginning.
    Tokens prompt(tokens.begin(), tokens.begin() + 1000);
    const GenerateOptions options{.maxTokens = 3, .ignoreEnd = true};
    Generation g = gives.generate(two, prompt, options);
    g.rest();
    CHECK(g.report().cachedTokens == 0);
    Generation h = keeps.generate(keeps.cache(), prompt, options);
    h.rest();
    CHECK(std::ranges::equal(g.tokens(), h.tokens()));
    two.trim(0);
    one.trim(0);
    CHECK(gives.evaluate(two, all.first(9)) == keeps.evaluate(one, all.first(9)));
  }
}

TEST_CASE("lm: wrong tokens leave a cache as it was") {
  const Model model = load_random(RandomModel(small_form()), {.capacity = 24});
  const Tokens tokens = random_tokens(30, 4);
  const std::span<const Token> all(tokens);
  Cache cache = model.cache();
  model.evaluate(cache, all.first(4));
  const auto expected = model.evaluate(cache, all.subspan(4, 1));
  cache.trim(4);
  CHECK_THROWS_AS(model.evaluate(cache, {}), TypeError);
  CHECK_THROWS_AS(model.evaluate(cache, all.first(21)), TypeError);
  CHECK_THROWS_AS(model.evaluate(cache, all.first(2), 3), TypeError);
  CHECK_THROWS_AS(model.evaluate(cache, all.first(2), 0), TypeError);
  CHECK_THROWS_AS(model.evaluate(cache, Tokens{512}), TypeError);
  CHECK_THROWS_AS(model.evaluate(cache, Tokens{-1}), TypeError);
  std::stop_source stop;
  stop.request_stop();
  CHECK_THROWS_AS(model.evaluate(cache, all.first(20), 1, stop.get_token()), AbortError);
  CHECK(cache.size() == 4);
  CHECK(model.evaluate(cache, all.subspan(4, 1)) == expected);
  CHECK_THROWS_AS(model.generate(cache, Tokens{}, {}), TypeError);
  CHECK_THROWS_AS(model.generate("w300", {.stop = {""}}), TypeError);
  CHECK_THROWS_AS(model.generate("w300", {.topP = 2}), TypeError);
  Generation g = model.generate(cache, "w300", {.ignoreEnd = true});
  g.next();
  cache.trim(1);
  CHECK_THROWS_AS(g.next(), InvalidStateError);
}

TEST_CASE("lm: a conversation keeps its cache") {
  const RandomModel m(small_form());
  gguf::Writer w = m.file();
  w.value("tokenizer.chat_template",
          std::string("{% for m in messages %}{{ m.role + ' ' + m.content + ' ' }}{% endfor %}"));
  const Model model = load_bytes(w.bytes());
  CHECK_THROWS_AS(small_model().chat(), InvalidStateError);
  Chat chat = model.chat({{"system", "w300"}});
  Generation first = chat.send("w301", {.maxTokens = 4, .ignoreEnd = true});
  const std::string answer = first.rest();
  CHECK(chat.messages().size() == 3);
  CHECK(chat.messages()[2].role == "assistant");
  CHECK(chat.messages()[2].content == answer);
  Generation second = chat.send("w302", {.maxTokens = 4, .ignoreEnd = true});
  const std::string text = second.rest();
  CHECK(second.report().cachedTokens >= first.report().promptTokens);
  CHECK(text == model
                    .generate(model.cache(),
                              model.tokenizer().encode(
                                  "system w300 user w301 assistant " + answer + " user w302 ",
                                  {.addSpecial = false}),
                              {.maxTokens = 4, .ignoreEnd = true})
                    .rest());
}

TEST_CASE("lm: a conversation that is longer than the cache forgets its oldest turns") {
  const RandomModel m(small_form());
  gguf::Writer w = m.file();
  w.value("tokenizer.chat_template",
          std::string("{% for m in messages %}{{ m.role + ' ' + m.content + ' ' }}{% endfor %}"));
  const Model model = load_bytes(w.bytes(), {.capacity = 160});
  const GenerateOptions options{.maxTokens = 4, .ignoreEnd = true};
  Chat chat = model.chat({{"system", "w300"}, {"developer", "w301"}});
  std::size_t forgotten = 0, times = 0;
  for (int turn = 0; turn < 60; ++turn) {
    const std::size_t before = chat.messages().size();
    Generation answer = chat.send(turn == 50 ? "w302 w303 w304 w305 w306 w307" : "w302", options);
    const std::string text = answer.rest();
    CHECK(answer.report().tokens == 4);  // there was room
    CHECK(chat.messages().size() == before + 2);
    if (chat.forgotten() != forgotten) ++times;
    forgotten = chat.forgotten();
    // What the answer was computed from: the system's messages, and all behind the forgotten ones.
    std::vector<Message> all = chat.messages();
    all.pop_back();
    std::string prompt;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i < 2 || i >= 2 + forgotten) prompt += all[i].role + ' ' + all[i].content + ' ';
    CHECK(forgotten % 2 == 0);
    CHECK(text == model
                      .generate(model.cache(),
                                model.tokenizer().encode(prompt, {.addSpecial = false}), options)
                      .rest());
    CHECK(answer.report().promptTokens ==
          model.tokenizer().encode(prompt, {.addSpecial = false}).size());
  }
  CHECK(forgotten > 0);
  CHECK(times > 1);
  CHECK(times < 30);  // each time half of the cache becomes free
  std::string longer;
  for (int i = 0; i < 80; ++i) longer += "w302 ";
  const std::size_t said = chat.messages().size();
  CHECK_THROWS_AS(chat.send(longer, options), TypeError);
  CHECK(chat.messages().size() == said);
  CHECK(chat.forgotten() == forgotten);
  CHECK(chat.send("w302", options).rest().size() > 0);
}

TEST_CASE("lm: steps of all lengths have the same plan, and write into the cache") {
  for (const auto& [keyHeads, type] : {std::pair(1u, float16),
                                       {2u, float16},
                                       {2u, bfloat16},
                                       {4u, float32},
                                       {1u, int8},
                                       {2u, int8}}) {
    ModelForm form = small_form();
    form.heads = 4;
    form.keyHeads = keyHeads;
    const Model model = load_random(RandomModel(form), {.cacheType = type});
    Cache cache = model.cache();
    model.evaluate(cache, random_tokens(5, 1));
    model.evaluate(cache, Tokens{5});
    const std::string plan = model.graph().explain();
    INFO(plan);
    for (const char* kernel : {"append rows", "attention of few rows", "rotary embedding"})
      CHECK(plan.find(kernel) != std::string::npos);
    const std::size_t memory = model.graph().memory().total();
    for (Token t = 5; t < 60; ++t) model.evaluate(cache, Tokens{t});
    CHECK(model.graph().memory().total() == memory);
  }
}

}  // namespace webnn::inline v0_1::lm
