// The same tokenizers from the metadata of .gguf files.
#include "tests/formats/gguf/writer.h"
#include "tests/lm/tokenizer/json_of.h"
#include "tests/support/temporary_file.h"

namespace webnn::inline v0_1::lm {
namespace {

using gguf::Writer;

Tokenizer read(const Writer& w) {
  return Tokenizer::from_gguf(gguf::File::from_bytes(w.bytes()), "t");
}
std::string refused(const Writer& w) {
  return test::thrown([&] { read(w); });
}
Writer begin(const std::string& model, const std::vector<std::string>& tokens) {
  Writer w;
  w.value("tokenizer.ggml.model", model).array("tokenizer.ggml.tokens", tokens);
  return w;
}

TEST_CASE("tokenizer: byte-level BPE of a .gguf file") {
  Writer w = begin("gpt2", {"a", "b", "ab", "\u0120", "\u0120ab", "<|end|>", "1", "2"});
  w.value("tokenizer.ggml.pre", std::string("qwen2"))
      .array("tokenizer.ggml.token_type", std::vector<std::int32_t>{1, 1, 1, 1, 1, 3, 1, 1})
      .array("tokenizer.ggml.merges", std::vector<std::string>{"a b", "\u0120 ab"})
      .value("tokenizer.ggml.eos_token_id", std::uint32_t{5})
      .value("tokenizer.chat_template", std::string("{{ messages }}"));
  const Tokenizer t = read(w);
  CHECK(t.encode("ab ab12<|end|>") == Tokens{2, 4, 6, 7, 5});
  CHECK(t.decode(Tokens{2, 4, 5}) == "ab ab");
  CHECK(t.eos() == 5);
  CHECK(t.is_special(5));
  CHECK(t.chat_template() == "{{ messages }}");
  const test::TemporaryFile file;
  const auto bytes = w.bytes();
  file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  CHECK(Tokenizer::open(file.path).encode("ab") == Tokens{2});
  CHECK(refused(begin("gpt2", {"a"}).value("tokenizer.ggml.pre", std::string("odd"))) ==
        "NotSupportedError tokenizer [t]: tokenizer.ggml.pre: \"odd\" is not supported.");
  CHECK(refused(begin("gpt2", {"a"})) ==
        "DataError tokenizer [t]: tokenizer.ggml.merges is missing.");
}

TEST_CASE("tokenizer: SentencePiece's BPE of a .gguf file") {
  Writer w = begin("llama", {"<unk>", "<s>", "</s>", "<0xC3>", "<0xA9>", "\u2581", "a", "b", "ab",
                             "ba", "\u2581ab"});
  w.array("tokenizer.ggml.scores", std::vector<float>{0, 0, 0, 0, 0, -9, -8, -7, -2, -1, -3})
      .array("tokenizer.ggml.token_type",
             std::vector<std::int32_t>{2, 3, 3, 6, 6, 1, 1, 1, 1, 1, 1})
      .value("tokenizer.ggml.bos_token_id", std::uint32_t{1})
      .value("tokenizer.ggml.unknown_token_id", std::uint32_t{0});
  const Tokenizer t = read(w);
  CHECK(t.encode("ab") == Tokens{1, 10});
  CHECK(t.encode("aba", {.addSpecial = false}) == Tokens{5, 6, 9});  // "ba" has the better score
  CHECK(t.encode("\u00e9") == Tokens{1, 5, 3, 4});
  CHECK(t.encode("x") == Tokens{1, 5, 0});
  CHECK(t.decode(Tokens{1, 10, 10, 3, 4}) == "ab ab\u00e9");
  w.value("tokenizer.ggml.add_space_prefix", false);
  CHECK(read(w).encode("ab", {.addSpecial = false}) == Tokens{8});
}

TEST_CASE("tokenizer: Unigram and WordPiece of .gguf files") {
  Writer t5 = begin("t5", {"<pad>", "</s>", "<unk>", "\u2581", "a", "\u2581ab", "b"});
  t5.array("tokenizer.ggml.scores", std::vector<float>{0, 0, 0, -2, -3, -4, -3})
      .array("tokenizer.ggml.token_type", std::vector<std::int32_t>{3, 3, 2, 1, 1, 1, 1})
      .value("tokenizer.ggml.eos_token_id", std::uint32_t{1})
      .value("tokenizer.ggml.unknown_token_id", std::uint32_t{2});
  CHECK(read(t5).encode("abax") == Tokens{5, 4, 2, 1});
  Writer bert = begin("bert", {"[UNK]", "[CLS]", "[SEP]", "\u2581un", "able", "\u2581a"});
  bert.array("tokenizer.ggml.token_type", std::vector<std::int32_t>{1, 3, 3, 1, 1, 1})
      .value("tokenizer.ggml.unknown_token_id", std::uint32_t{0})
      .value("tokenizer.ggml.cls_token_id", std::uint32_t{1})
      .value("tokenizer.ggml.seperator_token_id", std::uint32_t{2});
  CHECK(read(bert).encode("Unable A x") == Tokens{1, 3, 4, 5, 0, 2});
  CHECK(read(bert).decode(Tokens{1, 3, 4, 5, 2}) == "unable a");
}

TEST_CASE("tokenizer: broken metadata") {
  CHECK(refused(Writer()) == "DataError tokenizer [t]: tokenizer.ggml.tokens is missing.");
  CHECK(refused(begin("odd", {"a"})) ==
        "NotSupportedError tokenizer [t]: tokenizer.ggml.model: \"odd\" is not supported.");
  CHECK(refused(begin("llama", {"a"})) ==
        "DataError tokenizer [t]: tokenizer.ggml.scores is missing.");
  CHECK(refused(begin("llama", {"a"}).array("tokenizer.ggml.scores", std::vector<float>{1, 2})) ==
        "DataError tokenizer [t]: tokenizer.ggml.scores has 2 values for 1 tokens.");
  CHECK(refused(begin("llama", {"a"})
                    .array("tokenizer.ggml.scores", std::vector<float>{1})
                    .value("tokenizer.ggml.bos_token_id", std::uint32_t{1})) ==
        "DataError tokenizer [t]: tokenizer.ggml.bos_token_id: 1 is not below 1, the number of "
        "tokens.");
}

}  // namespace
}  // namespace webnn::inline v0_1::lm
