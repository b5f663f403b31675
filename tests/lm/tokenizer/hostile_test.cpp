// Files that are broken, and texts that would take long.
#include "tests/lm/tokenizer/json_of.h"

namespace webnn::inline v0_1::lm {
namespace {

TEST_CASE("tokenizer: broken files") {
  const std::string begin = "DataError tokenizer [t.json]: ";
  CHECK_THAT(refusal(""), ContainsSubstring("DataError tokenizer [t.json]"));
  CHECK_THAT(refusal("{"), ContainsSubstring("DataError tokenizer [t.json]"));
  CHECK(refusal("[]") == begin + "it is not an object.");
  CHECK(refusal("{}") == begin + "model is missing.");
  CHECK_THAT(refusal(std::string(100'000, '[')), ContainsSubstring("nested more than 32 deep"));
  CHECK(refusal(R"({"model": {"type": "BPE", "vocab": {"a": 0}}})") ==
        begin + "model: merges is missing.");
  CHECK(refusal(R"({"model": {"type": "BPE", "vocab": {"a": -1}, "merges": []}})") ==
        begin + "model: the token -1 of \"a\" is not between 0 and 1000002.");
  CHECK(refusal(R"({"model": {"type": "BPE", "vocab": {"a": 2000000}, "merges": []}})") ==
        begin + "model: the token 2000000 of \"a\" is not between 0 and 1000002.");
  CHECK(refusal(R"({"model": {"type": "BPE", "vocab": {"a": 1, "b": 1}, "merges": []}})") ==
        begin + "model: token 1 is both \"a\" and \"b\".");
  CHECK(refusal(bpe_json({std::string(4097, 'a')}, {})) ==
        begin + "model: the text of token 0 has 4097 bytes, more than 4096.");
  CHECK(refusal(bpe_json({"a", "b"}, {"ab"})) ==
        begin + "model.merges: merge 0 is not two tokens.");
  CHECK(refusal(bpe_json({"a", "b"}, {"a b"})) ==
        begin + "model: merge 0 has \"ab\", which is not a token.");
  CHECK(refusal(bpe_json({"a"}, {}, "", R"(, "unk_token": "?")")) ==
        begin + "model: unk_token is not a token.");
  CHECK(refusal(R"({"model": {"type": "Unigram", "vocab": [["a"]]}})") ==
        begin + "model.vocab[0]: it is not a token and its score.");
  CHECK(refusal(R"({"model": {"type": "Unigram", "unk_id": 7, "vocab": [["a", 0]]}})") ==
        begin + "model: unk_id is not a token.");
  CHECK(refusal(bpe_json({"a"}, {}, R"(, "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "x"}}], "special_tokens": {"x": {"ids": [9]}}})")) ==
        begin + "post_processor.special_tokens.x.ids[0]: it is not a token.");
  CHECK(refusal(bpe_json({"a"}, {}, R"(, "pre_tokenizer": {"type": "Split", "behavior": "Odd",
      "pattern": {"String": " "}})")) ==
        begin + "pre_tokenizer: the behavior \"Odd\" is not defined by the format.");
  CHECK_THAT(refusal(bpe_json({"a"}, {}, R"(, "pre_tokenizer": {"type": "Split",
      "pattern": {"Regex": "(a"}})")),
             ContainsSubstring("pre_tokenizer.pattern: the expression \"(a\" is not supported"));
  CHECK_THAT(refusal(bpe_json({"a"}, {}, R"(, "normalizer": {"type": "Precompiled",
      "precompiled_charsmap": "AAAA/w=="})")),
             ContainsSubstring("table of replacements"));
}

TEST_CASE("tokenizer: what is not supported is named") {
  const std::string begin = "NotSupportedError tokenizer [t.json]: ";
  CHECK(refusal(bpe_json({"a"}, {}, R"(, "normalizer": {"type": "Odd"})")) ==
        begin + "normalizer: the type \"Odd\" is not supported.");
  CHECK(refusal(bpe_json({"a"}, {}, R"(, "pre_tokenizer": {"type": "Sequence",
      "pretokenizers": [{"type": "Odd"}]})")) ==
        begin + "pre_tokenizer.pretokenizers[0]: the type \"Odd\" is not supported.");
  CHECK(refusal(bpe_json({"a"}, {}, R"(, "decoder": {"type": "CTC"})")) ==
        begin + "decoder: the type \"CTC\" is not supported.");
  CHECK(refusal(R"({"model": {"type": "WordLevel", "vocab": {}}})") ==
        begin + "model: the type \"WordLevel\" is not supported.");
  CHECK(refusal(bpe_json({"a"}, {}, "", R"(, "dropout": 0.1)")) ==
        begin + "model: dropout is not supported.");
}

TEST_CASE("tokenizer: an expression that takes too many steps ends") {
  const std::string json = bpe_json({"a"}, {}, R"(, "pre_tokenizer": {"type": "Split",
      "pattern": {"Regex": "(a+)+$"}})");
  std::string text(100, 'a');
  text += 'b';
  CHECK_THAT(test::thrown([&] { encoded(json, text); }),
             ContainsSubstring("OperationError tokenizer: an expression takes more steps"));
}

TEST_CASE("tokenizer: words of a million letters") {
  std::vector<std::string> texts{"<unk>", "a"};
  std::vector<std::string> merges;
  for (std::size_t n = 1; n < 64; n *= 2) {
    merges.push_back(std::string(n, 'a') + ' ' + std::string(n, 'a'));
    texts.push_back(std::string(2 * n, 'a'));
  }
  const std::string word(1'000'000, 'a');
  CHECK(encoded(bpe_json(texts, merges), word).size() == word.size() / 64);
  std::string pairs;
  for (std::size_t i = 0; i < texts.size(); ++i)
    pairs += (i > 0 ? ", [" : "[") + json_string(texts[i]) + ", -1]";
  CHECK(encoded(R"({"model": {"type": "Unigram", "unk_id": 0, "vocab": [)" + pairs + "]}}", word)
            .size() == word.size() / 64);
  const std::string piece = R"({"model": {"type": "WordPiece", "unk_token": "<unk>",
      "max_input_chars_per_word": 4000000000, "continuing_subword_prefix": "", "vocab": )" +
                            vocabulary_of(texts) + "}}";
  CHECK(encoded(piece, word).size() == word.size() / 64);
  const std::string level = bpe_json({"a"}, {}, R"(, "pre_tokenizer": {"type": "ByteLevel"})");
  CHECK(encoded(level, std::string(1'000'000, ' ')).empty());
}

}  // namespace
}  // namespace webnn::inline v0_1::lm
