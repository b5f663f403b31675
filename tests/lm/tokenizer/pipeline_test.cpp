// Normalizers, splits into words, added tokens, templates, decoders.
#include "tests/lm/tokenizer/json_of.h"

namespace webnn::inline v0_1::lm {
namespace {

/// A tokenizer whose tokens are the printable characters of ASCII, and some others.
std::string letters_json(const std::string& rest, const std::vector<std::string>& more = {}) {
  std::vector<std::string> texts{"<unk>"};
  for (char c = ' '; c <= '~'; ++c) texts.emplace_back(1, c);
  for (const char* c : {"\u2581", "\u00e9", "\u0301", "\u00df", "\u0307", "\u3000", "\u9577"})
    texts.emplace_back(c);
  texts.insert(texts.end(), more.begin(), more.end());
  return bpe_json(texts, {}, rest, R"(, "unk_token": "<unk>")");
}
/// The text that the model sees.
std::string normal(const std::string& normalizer, std::string_view text) {
  const Tokenizer t = Tokenizer::from_json(letters_json(R"(, "normalizer": )" + normalizer));
  return t.decode(t.encode(text), {.skipSpecial = false});
}

TEST_CASE("tokenizer: normalizers") {
  CHECK(normal(R"({"type": "NFC"})", "e\u0301") == "\u00e9");
  CHECK(normal(R"({"type": "NFD"})", "\u00e9") == "e\u0301");
  CHECK(normal(R"({"type": "NFKC"})", "\uff41\ufb01") == "afi");
  CHECK(normal(R"({"type": "NFKD"})", "\uff41\u00e9") == "ae\u0301");
  CHECK(normal(R"({"type": "Lowercase"})", "AB\u00c9\u0130") == "ab\u00e9i\u0307");
  CHECK(normal(R"({"type": "Strip", "strip_left": true, "strip_right": false})", "\u3000 a ") ==
        "a ");
  CHECK(normal(R"({"type": "Strip"})", " a ") == "a");
  CHECK(normal(R"({"type": "StripAccents"})", "e\u0301") == "e");
  CHECK(normal(R"({"type": "Prepend", "prepend": "_"})", "a") == "_a");
  CHECK(normal(R"({"type": "Replace", "pattern": {"String": "aa"}, "content": "b"})", "aaaca") ==
        "baca");
  CHECK(normal(R"({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})",
               "a    b c") == "a b c");
  CHECK(normal(R"({"type": "BertNormalizer"})", "\u00c9\t\u9577a\u0007") == "e  \u9577 a");
  CHECK(normal(R"({"type": "BertNormalizer", "lowercase": false, "handle_chinese_chars": false})",
               "\u00c9\u9577") == "<unk>\u9577");
  CHECK(normal(R"({"type": "Sequence", "normalizers": [{"type": "Lowercase"},
                   {"type": "Prepend", "prepend": "X"}]})",
               "A") == "Xa");
}

TEST_CASE("tokenizer: the order of many combining marks takes n log n time") {
  std::string marks = "a";
  for (int i = 0; i < 400'000; ++i) marks += i % 2 == 0 ? "\u0301" : "\u0323";
  const Tokenizer t = Tokenizer::from_json(letters_json(R"(, "normalizer": {"type": "NFC"})"));
  CHECK(t.encode(marks).size() > 100'000);
}

/// The words that a pre-tokenizer makes.
std::vector<std::string> words(const std::string& pre_tokenizer, std::string_view text) {
  // WordPiece marks the parts of a word that are not its beginning.
  std::vector<std::string> texts{"[UNK]"};
  for (char c = ' '; c <= '~'; ++c)
    for (const char* prefix : {"", "##"}) texts.push_back(prefix + std::string(1, c));
  for (const char* c : {"\u2581", "##\u2581", "\u0120", "##\u0120"}) texts.emplace_back(c);
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  const Tokenizer t =
      Tokenizer::from_json(R"({"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": )" +
                           vocabulary_of(texts) + R"(}, "pre_tokenizer": )" + pre_tokenizer + "}");
  std::vector<std::string> all;
  for (const Token token : t.encode(text)) {
    const std::string_view part = t.text_of(token);
    if (part.starts_with("##") && part.size() > 2) all.back() += part.substr(2);
    else all.emplace_back(part);
  }
  return all;
}
using Words = std::vector<std::string>;
std::string split(const std::string& behavior, const std::string& invert = "false") {
  return R"({"type": "Split", "pattern": {"Regex": "-"}, "behavior": ")" + behavior +
         R"(", "invert": )" + invert + "}";
}

TEST_CASE("tokenizer: splits") {
  const std::string text = "the-final--countdown";
  CHECK(words(split("Removed"), text) == Words{"the", "final", "countdown"});
  CHECK(words(split("Isolated"), text) == Words{"the", "-", "final", "-", "-", "countdown"});
  CHECK(words(split("MergedWithPrevious"), text) == Words{"the-", "final-", "-", "countdown"});
  CHECK(words(split("MergedWithNext"), text) == Words{"the", "-final", "-", "-countdown"});
  CHECK(words(split("Contiguous"), text) == Words{"the", "-", "final", "--", "countdown"});
  CHECK(words(split("Removed", "true"), text) == Words{"-", "-", "-"});
  CHECK(words(R"({"type": "Whitespace"})", "a_1 b!? c") == Words{"a_1", "b", "!?", "c"});
  CHECK(words(R"({"type": "WhitespaceSplit"})", " a\u3000b! ") == Words{"a", "b!"});
  CHECK(words(R"({"type": "Punctuation"})", "a.b!!") == Words{"a", ".", "b", "!", "!"});
  CHECK(words(R"({"type": "Digits"})", "a12b") == Words{"a", "12", "b"});
  CHECK(words(R"({"type": "Digits", "individual_digits": true})", "a12b") ==
        Words{"a", "1", "2", "b"});
  CHECK(words(R"({"type": "CharDelimiterSplit", "delimiter": "-"})", "a-b") == Words{"a", "b"});
  CHECK(words(R"({"type": "BertPreTokenizer"})", "a b,c") == Words{"a", "b", ",", "c"});
  CHECK(words(R"({"type": "Metaspace"})", "a bc") == Words{"\u2581a", "\u2581bc"});
  CHECK(words(R"({"type": "Metaspace", "prepend_scheme": "never"})", "a bc") ==
        Words{"a", "\u2581bc"});
  CHECK(words(R"({"type": "Metaspace", "split": false})", "a bc") == Words{"\u2581a\u2581bc"});
  CHECK(words(R"({"type": "ByteLevel", "add_prefix_space": false})", "it's  me 42!") ==
        Words{"it", "'s", "\u0120", "\u0120me", "\u012042", "!"});
  CHECK(words(R"({"type": "ByteLevel"})", "me") == Words{"\u0120me"});
}

TEST_CASE("tokenizer: \\s has the characters of White_Space") {
  const auto parts = [](std::string_view text) {
    return words(R"({"type": "Split", "pattern": {"Regex": "\\s+"}, "behavior": "Removed"})", text)
        .size();
  };
  for (const char* space : {" ", "\t", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u3000"})
    CHECK(parts("a" + std::string(space) + "b") == 2);
  const auto not_space = [](std::string_view text) {
    return words(R"({"type": "Split", "pattern": {"Regex": "[^\\S\\n]"}, "behavior": "Removed"})",
                 text)
        .size();
  };
  CHECK(not_space("a b") == 2);
  CHECK(not_space("a\u0085"
                  "b") == 2);
  // U+FEFF and U+180E are none, nor is U+200B.
  for (const char* other : {"\ufeff", "\u180e", "\u200b"})
    CHECK(parts("a" + std::string(other) + "b") == 1);
}

std::string added(const std::string& text, const std::string& flags) {
  return R"(, "added_tokens": [{"id": 200, "content": )" + json_string(text) + flags + "}]";
}

TEST_CASE("tokenizer: added tokens") {
  const auto count = [](const std::string& json, std::string_view text) {
    const auto tokens = encoded(json, text);
    return std::pair(tokens.size(), std::count(tokens.begin(), tokens.end(), 200));
  };
  using Pair = std::pair<std::size_t, std::ptrdiff_t>;
  const std::string plain = letters_json(added("<s>", R"(, "special": true)"));
  CHECK(count(plain, "a<s>b<s>") == Pair{4, 2});
  const Tokenizer t = Tokenizer::from_json(plain);
  CHECK(t.encode("<s>", {.parseSpecial = false}).size() == 3);
  CHECK(t.decode(t.encode("a<s>b")) == "ab");
  CHECK(t.decode(t.encode("a<s>b"), {.skipSpecial = false}) == "a<s>b");
  CHECK(t.is_special(200));
  CHECK_FALSE(t.is_special(1));
  CHECK_FALSE(t.is_special(-1));
  CHECK(count(letters_json(added("ab", R"(, "single_word": true)")), "ab cab ab") == Pair{7, 2});
  CHECK(count(letters_json(added("ab", R"(, "lstrip": true, "normalized": false)")), "c  ab d") ==
        Pair{4, 1});
  CHECK(count(letters_json(added("ab", R"(, "rstrip": true, "normalized": false)")), "c ab  d") ==
        Pair{4, 1});
  const std::string lower = R"(, "normalizer": {"type": "Lowercase"})";
  CHECK(count(letters_json(lower + added("AB", R"(, "normalized": true)")), "xAb") == Pair{2, 1});
  CHECK(count(letters_json(lower + added("AB", R"(, "normalized": false)")), "xAb") == Pair{3, 0});
}

TEST_CASE("tokenizer: tokens around a text") {
  const auto ends = [](const std::string& processor) {
    const std::string json =
        bpe_json({"a", "<s>", "</s>"}, {}, R"(, "post_processor": )" + processor);
    CHECK(encoded(json, "a", {.addSpecial = false}) == Tokens{0});
    return encoded(json, "a");
  };
  CHECK(ends(R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}},
      {"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "</s>"}}],
      "special_tokens": {"<s>": {"ids": [1]}, "</s>": {"ids": [2, 2]}}})") == Tokens{1, 0, 2, 2});
  CHECK(ends(R"({"type": "BertProcessing", "cls": ["<s>", 1], "sep": ["</s>", 2]})") ==
        Tokens{1, 0, 2});
  CHECK(ends(R"({"type": "Sequence", "processors": [{"type": "ByteLevel"},
      {"type": "RobertaProcessing", "cls": ["<s>", 1], "sep": ["</s>", 2]}]})") == Tokens{1, 0, 2});
}

TEST_CASE("tokenizer: the roles of tokens and the template of tokenizer_config.json") {
  const Tokenizer t = Tokenizer::from_json(
      bpe_json({"a", "<s>", "</s>"}, {}),
      R"({"bos_token": {"content": "<s>"}, "eos_token": "</s>", "pad_token": null,
          "chat_template": [{"name": "tool_use", "template": "x"}, {"name": "default", "template": "y"}]})");
  CHECK(t.bos() == 1);
  CHECK(t.eos() == 2);
  CHECK_FALSE(t.pad());
  CHECK(t.chat_template() == "y");
  CHECK(t.size() == 3);
  CHECK(t.find("</s>") == 2);
  CHECK_FALSE(t.find("zz"));
  CHECK(test::thrown([&] { t.text_of(3); }) ==
        "TypeError decode: token 3 is not between 0 and 3, the number of tokens.");
  CHECK_THAT(test::thrown([&] { t.decode(Tokens{-1}); }), ContainsSubstring("TypeError decode"));
}

TEST_CASE("tokenizer: decoders of tokens with spaces and bytes") {
  const std::string json = bpe_json({"\u2581a", "b", "<0xE2>", "<0x82>", "<0xAC>", "\u2581"}, {},
                                    R"(, "decoder": {"type": "Sequence", "decoders": [
          {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
          {"type": "ByteFallback"}, {"type": "Fuse"},
          {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})");
  const Tokenizer t = Tokenizer::from_json(json);
  CHECK(t.decode(Tokens{0, 1, 0}) == "ab a");
  CHECK(t.decode(Tokens{5, 0}) == " a");
  CHECK(t.decode(Tokens{0, 2, 3, 4, 1}) == "a\u20acb");
  CHECK(t.decode(Tokens{2, 3}) == "\ufffd");
  CHECK(t.decode(Tokens{2, 3, 1}) == "\ufffdb");
  const Tokenizer m =
      Tokenizer::from_json(bpe_json({"\u2581a", "b"}, {}, R"(, "decoder": {"type": "Metaspace"})"));
  CHECK(m.decode(Tokens{0, 1, 0}) == "ab a");
}

TEST_CASE("tokenizer: a stream gives whole characters, and all that decode() gives") {
  std::vector<std::string> texts;
  for (int byte = 0; byte < 256; ++byte) {
    constexpr char digits[] = "0123456789ABCDEF";
    texts.push_back({'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>'});
  }
  const Tokenizer t =
      Tokenizer::from_json(bpe_json(texts, {}, R"(, "decoder": {"type": "ByteFallback"})"));
  TokenStream stream(t);
  CHECK(stream.put(0xe2) == "");
  CHECK(stream.put(0x82) == "");
  CHECK(stream.put(0xac) == "\u20ac");
  CHECK(stream.put(0xf0) == "");
  CHECK(stream.put('a') == "\ufffda");
  CHECK(stream.put(0x80) == "\ufffd");
  CHECK(stream.put(0xc3) == "");
  CHECK(stream.finish() == "\ufffd");
  CHECK(stream.finish() == "");
  std::uint32_t state = 1;
  for (int round = 0; round < 200; ++round) {
    Tokens tokens;
    std::string all;
    for (int i = 0; i < 30; ++i) {
      state = state * 1664525 + 1013904223;
      tokens.push_back(static_cast<Token>(state >> 24));
      all += stream.put(tokens.back());
    }
    all += stream.finish();
    CHECK(all == t.decode(tokens));
  }
  TokenStream moved = std::move(stream);
  CHECK(moved.put('x') == "x");
  CHECK_THAT(test::thrown([&] { stream.put('x'); }), ContainsSubstring("InvalidStateError"));
}

TEST_CASE("tokenizer: broken bytes of a text are U+FFFD") {
  const std::string json = bpe_json({"a", "\ufffd"}, {});
  CHECK(encoded(json, "a\xff") == Tokens{0, 1});
  CHECK(encoded(json,
                "\xe2\x82"
                "a") == Tokens{1, 0});                             // one for what could go on
  CHECK(encoded(json, "\xed\xa0\x80") == Tokens{1, 1, 1});         // a surrogate
  CHECK(encoded(json, "\xf4\x90\x80\x80") == Tokens{1, 1, 1, 1});  // beyond Unicode
  CHECK(encoded(json, "\xc0\xaf") == Tokens{1, 1});                // too long
  CHECK(encoded(json, "\xf0\x9f\x98") == Tokens{1});
}

}  // namespace
}  // namespace webnn::inline v0_1::lm
