// Generated texts that a grammar or a JSON schema constrains, and the probabilities of tokens.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/lm/model/load_random.h"
#include "tests/support/thrown.h"

namespace webnn::inline v0_1::lm {
namespace {

using test::thrown;

const Model& small_model() {
  static const Model model =
      load_random(RandomModel(small_form()), {.capacity = 256, .cacheType = float32});
  return model;
}

constexpr const char* person =
    R"({"type": "object", "properties": {"name": {"type": "string", "maxLength": 8},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 3}},
        "required": ["name", "age"], "additionalProperties": false})";

bool is_person(const std::string& text) {
  const nlohmann::json v = nlohmann::json::parse(text);
  const auto is_tag = [](const nlohmann::json& t) { return t == "a" || t == "b"; };
  const auto length = [](const std::string& s) {
    return std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xc0) != 0x80; });
  };
  if (!v.is_object() || !v["name"].is_string() || length(v["name"]) > 8) return false;
  if (!v["age"].is_number_integer() || v["age"] < 0 || v["age"] > 150) return false;
  if (!v.contains("tags")) return v.size() == 2;
  return v.size() == 3 && v["tags"].size() <= 3 &&
         std::all_of(v["tags"].begin(), v["tags"].end(), is_tag);
}

}  // namespace

TEST_CASE("lm: a schema makes JSON of a random model") {
  const Model& model = small_model();
  std::size_t ended = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Generation g = model.generate(
        "w300", {.maxTokens = 200, .temperature = 1.5f, .seed = seed, .jsonSchema = person});
    const std::string text = g.rest();
    INFO(text);
    if (g.report().finishReason == FinishReason::length) {
      CHECK(Grammar::from_json_schema(person).accepts_beginning(text));
      continue;
    }
    ++ended;
    CHECK(g.report().finishReason == FinishReason::end);
    CHECK(is_person(text));
  }
  CHECK(ended > 6);
}

TEST_CASE("lm: a grammar ends a text when nothing can follow, or by a token of the model") {
  const Model& model = small_model();
  Generation g = model.generate("w300", {.grammar = "root ::= \"yes\" | \"no, never\""});
  const std::string text = g.rest();
  CHECK((text == "yes" || text == "no, never"));
  CHECK(g.report().finishReason == FinishReason::end);
  CHECK(std::ranges::find(g.tokens(), 2) == g.tokens().end());  // no token was needed

  // The end token, which the bias prefers, comes where the grammar lets the text end.
  const GenerateOptions digits{
      .maxTokens = 50, .bias = {{2, 1e6f}}, .grammar = "root ::= [0-9]{3,}"};
  Generation three = model.generate("w300", digits);
  CHECK(three.rest().size() == 3);
  CHECK(three.report().finishReason == FinishReason::end);
  CHECK(three.tokens().back() == 2);
  GenerateOptions endless = digits;
  endless.ignoreEnd = true;
  Generation all = model.generate("w300", endless);
  CHECK(all.rest().size() == 50);
  CHECK(all.report().finishReason == FinishReason::length);

  // Words of the vocabulary begin with a space, which is no part of a text's beginning.
  CHECK(
      model.generate("w301", {.grammar = "root ::= \"w4\" [0-9] [0-9]"}).rest().starts_with("w4"));
  CHECK(model.generate("w301", {.grammar = "root ::= \"\""}).rest().empty());
}

TEST_CASE("lm: sequences of a batch have grammars of their own") {
  const Model& model = small_model();
  Batch batch = model.batch({.sequences = 3});
  std::vector<GenerateOptions> all;
  for (std::uint64_t i = 0; i < 6; ++i) {
    GenerateOptions o{.maxTokens = 40, .temperature = 1, .seed = i};
    if (i % 3 == 0) o.jsonSchema = person;
    if (i % 3 == 1) o.grammar = "root ::= ([a-z]{2} \" \")* \".\"";
    all.push_back(o);
    batch.add("w310 w" + std::to_string(320 + i), o);
  }
  batch.run();
  for (std::size_t i = 0; i < all.size(); ++i) {
    Generation g = model.generate(model.cache(), "w310 w" + std::to_string(320 + i), all[i]);
    CHECK(g.rest() == batch.text(i));
    CHECK(std::ranges::equal(g.tokens(), batch.tokens(i)));
  }
}

TEST_CASE("lm: probabilities are those of the logits") {
  const Model& model = small_model();
  const GenerateOptions options{.maxTokens = 6,
                                .temperature = 2,
                                .topK = 40,
                                .seed = 3,
                                .ignoreEnd = true,
                                .logProbabilities = 5};
  Cache cache = model.cache();
  Generation g = model.generate(cache, "w300 w301", options);
  g.rest();
  REQUIRE(g.samples().size() == 6);
  Tokens read = model.tokenizer().encode("w300 w301");
  for (const Sample& s : g.samples()) {
    Cache fresh = model.cache();
    const std::vector<float> logits = model.evaluate(fresh, read);
    double sum = 0;
    for (const float x : logits) sum += std::exp(double{x});
    const auto expected = [&](Token t) {
      return double{logits[static_cast<std::size_t>(t)]} - std::log(sum);
    };
    CHECK(s.logProbability == Approx(expected(s.token)).margin(1e-4));
    REQUIRE(s.best.size() == 5);
    std::vector<float> sorted = logits;
    std::ranges::sort(sorted, std::greater());
    for (std::size_t k = 0; k < 5; ++k) {
      CHECK(s.best[k].logProbability == Approx(expected(s.best[k].token)).margin(1e-4));
      CHECK(s.best[k].logProbability == Approx(double{sorted[k]} - std::log(sum)).margin(1e-4));
    }
    read.push_back(s.token);
  }
  CHECK(std::ranges::equal(g.tokens(), std::span(read).last(6)));
  GenerateOptions without = options;
  without.logProbabilities = 0;
  Generation same = model.generate("w300 w301", without);
  same.rest();
  CHECK(std::ranges::equal(same.tokens(), g.tokens()));
  CHECK(same.samples().empty());
}

TEST_CASE("lm: what constraints refuse") {
  const Model& model = small_model();
  const auto refused = [&](const GenerateOptions& o) {
    return thrown([&] { model.generate("w300", o); });
  };
  CHECK(refused({.grammar = "root ::= x"}).starts_with("TypeError grammar: line 1: rule \"x\""));
  CHECK(refused({.jsonSchema = "{\"not\": {}}"}).starts_with("NotSupportedError grammar"));
  CHECK(refused({.grammar = "root ::= \"a\"", .jsonSchema = "{}"}).find("exclude each other") !=
        std::string::npos);
  CHECK(refused({.grammar = "root ::= root \"a\" | \"b\""}).find("left recursion") !=
        std::string::npos);
}

}  // namespace webnn::inline v0_1::lm
