// The three models against the definition of each, written without its speed.
#include <limits>
#include <map>
#include <random>

#include "tests/lm/tokenizer/json_of.h"

namespace webnn::inline v0_1::lm {
namespace {

/// All texts of 1 to `length` letters of a small alphabet, of which some are left out.
std::vector<std::string> random_texts(std::mt19937& random, std::size_t length) {
  std::vector<std::string> texts{"a", "b", "c"};
  for (std::size_t begin = 0; texts.front().size() < length && texts.size() < 60; ++begin) {
    if (begin == texts.size()) break;
    for (const char c : {'a', 'b', 'c'})
      if (random() % 3 != 0 && texts[begin].size() < length) texts.push_back(texts[begin] + c);
  }
  return texts;
}
std::string random_word(std::mt19937& random, std::size_t most) {
  std::string word;
  for (std::size_t n = 1 + random() % most; word.size() < n;)
    word += static_cast<char>('a' + random() % 3);
  return word;
}

TEST_CASE("bpe: merges are done in the order of the list, the leftmost first") {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const std::vector<std::string> texts = random_texts(random, 5);
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < texts.size(); ++i) known[texts[i]] = i;
    std::vector<std::string> merges;
    for (const std::string& t : texts)
      for (std::size_t cut = 1; cut < t.size(); ++cut)
        if (known.contains(t.substr(0, cut)) && known.contains(t.substr(cut)))
          merges.push_back(t.substr(0, cut) + ' ' + t.substr(cut));
    std::shuffle(merges.begin(), merges.end(), random);
    const Tokenizer tokenizer = Tokenizer::from_json(bpe_json(texts, merges));
    for (int k = 0; k < 40; ++k) {
      const std::string word = random_word(random, 40);
      std::vector<std::string> parts;
      for (const char c : word) parts.emplace_back(1, c);
      for (;;) {  // the pair of the lowest rank
        std::size_t best = merges.size(), at = 0;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
          const auto rank = static_cast<std::size_t>(
              std::find(merges.begin(), merges.end(), parts[i] + ' ' + parts[i + 1]) -
              merges.begin());
          if (rank < best) best = rank, at = i;
        }
        if (best == merges.size()) break;
        parts[at] += parts[at + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      }
      Tokens expected;
      for (const std::string& p : parts) expected.push_back(static_cast<Token>(known.at(p)));
      CAPTURE(word);
      CHECK(tokenizer.encode(word) == expected);
      CHECK(tokenizer.decode(expected) == word);
    }
  }
}

TEST_CASE("unigram: the tokens with the greatest sum of scores") {
  std::mt19937 random(2);
  for (int round = 0; round < 60; ++round) {
    const std::vector<std::string> texts = random_texts(random, 4);
    std::vector<double> scores;
    std::string vocab;
    for (const std::string& t : texts) {
      scores.push_back(-static_cast<double>(random() % 10'000) / 512);
      vocab +=
          (vocab.empty() ? "" : ", ") + ("[\"" + t + "\", ") + std::to_string(scores.back()) + "]";
      scores.back() = std::stod(std::to_string(scores.back()));
    }
    const Tokenizer tokenizer =
        Tokenizer::from_json(R"({"model": {"type": "Unigram", "vocab": [)" + vocab + "]}}");
    for (int k = 0; k < 20; ++k) {
      const std::string word = random_word(random, 12);
      // The best sum of each end, from all beginnings.
      std::vector<double> best(word.size() + 1, -std::numeric_limits<double>::infinity());
      best[0] = 0;
      for (std::size_t end = 1; end <= word.size(); ++end)
        for (std::size_t begin = 0; begin < end; ++begin)
          for (std::size_t t = 0; t < texts.size(); ++t)
            if (word.substr(begin, end - begin) == texts[t])
              best[end] = std::max(best[end], best[begin] + scores[t]);
      double sum = 0;
      std::string joined;
      for (const Token t : tokenizer.encode(word)) {
        sum += scores[static_cast<std::size_t>(t)];
        joined += texts[static_cast<std::size_t>(t)];
      }
      CAPTURE(word);
      CHECK(joined == word);
      CHECK(sum == Approx(best[word.size()]).epsilon(1e-12));
    }
  }
}

TEST_CASE("unigram: characters that the vocabulary does not have") {
  const auto json = [](const std::string& rest) {
    return R"({"model": {"type": "Unigram", "vocab": [["<unk>", 0], ["a", -1], ["<0xC3>", -9],
              ["<0xA9>", -9]])" +
           rest + "}}";
  };
  CHECK(encoded(json(R"(, "unk_id": 0)"), "axya") == Tokens{1, 0, 1});  // one for both
  CHECK(encoded(json(""), "axa") == Tokens{1, 1});
  CHECK(encoded(json(R"(, "unk_id": 0, "byte_fallback": true)"), "a\u00e9x") == Tokens{1, 0});
  CHECK(encoded(json(R"(, "unk_id": 0, "byte_fallback": true)"), "a\u00e9") == Tokens{1, 2, 3});
}

TEST_CASE("word piece: the longest token first, again and again") {
  const std::string json =
      R"({"model": {"type": "WordPiece", "unk_token": "[UNK]",
      "max_input_chars_per_word": 8, "vocab": )" +
      vocabulary_of({"[UNK]", "un", "una", "##f", "##ff", "##able", "##a", "a"}) +
      R"(}, "pre_tokenizer": {"type": "BertPreTokenizer"}, "decoder": {"type": "WordPiece"}})";
  CHECK(encoded(json, "unaffable") == Tokens{0});  // nine characters
  CHECK(encoded(json, "unaable") == Tokens{2, 5});
  CHECK(encoded(json, "unaff a") == Tokens{2, 4, 7});
  CHECK(encoded(json, "unx a") == Tokens{0, 7});
  const Tokenizer t = Tokenizer::from_json(json);
  CHECK(t.decode(Tokens{2, 4, 7, 6}) == "unaff aa");
}

TEST_CASE("bpe: characters that the vocabulary does not have") {
  const std::vector<std::string> texts{"<unk>", "a", "<0xC3>", "<0xA9>", "aa"};
  const auto tokens = [&](std::string_view text, const std::string& model) {
    return encoded(bpe_json(texts, {"a a"}, "", model), text);
  };
  CHECK(tokens("axya", "") == Tokens{4});  // left out, as other implementations do
  CHECK(tokens("axya", R"(, "unk_token": "<unk>")") == Tokens{1, 0, 0, 1});
  CHECK(tokens("axya", R"(, "unk_token": "<unk>", "fuse_unk": true)") == Tokens{1, 0, 1});
  CHECK(tokens("a\u00e9x", R"(, "unk_token": "<unk>", "byte_fallback": true)") ==
        Tokens{1, 2, 3, 0});
  CHECK(encoded(bpe_json({"a", "b", "ab", "abab"}, {"a b"}, "", R"(, "ignore_merges": true)"),
                "abab") == Tokens{3});
}

TEST_CASE("bpe: prefixes and suffixes of parts of words") {
  const std::string json = bpe_json({"a", "b", "b</w>", "ab</w>"}, {"a b</w>"},
                                    R"(, "decoder": {"type": "BPEDecoder"},
                                       "pre_tokenizer": {"type": "WhitespaceSplit"})",
                                    R"(, "end_of_word_suffix": "</w>")");
  CHECK(encoded(json, "ab bab") == Tokens{3, 1, 3});
  CHECK(Tokenizer::from_json(json).decode(Tokens{3, 1, 3}) == "ab bab");
  CHECK(
      encoded(bpe_json({"a", "##b", "ab"}, {"a ##b"}, "", R"(, "continuing_subword_prefix": "##")"),
              "ab") == Tokens{2});
}

}  // namespace
}  // namespace webnn::inline v0_1::lm
