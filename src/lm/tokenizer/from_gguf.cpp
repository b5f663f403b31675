// The metadata under "tokenizer." of .gguf files:
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md#tokenizer
#include <cmath>
#include <limits>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/tokenizer/contents.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr std::int32_t type_unknown = 2, type_control = 3, type_user = 4, type_unused = 5;
constexpr const char* space_text = "\xe2\x96\x81";  // U+2581

class Loader {
 public:
  Loader(const gguf::File& file, std::string_view label) : file_(file), label_(label) {}

  void read(TokenizerContents& c) {
    const auto texts = file_.texts("tokenizer.ggml.tokens");
    if (!texts) refuse("tokenizer.ggml.tokens is missing");
    texts_ = *texts;
    types_ = file_.integers("tokenizer.ggml.token_type").value_or(types_);
    scores_ = file_.floats("tokenizer.ggml.scores").value_or(scores_);
    for (const auto& [key, size] :
         {std::pair("token_type", types_.size()), {"scores", scores_.size()}})
      if (size != 0 && size != texts_.size())
        refuse("tokenizer.ggml." + std::string(key) + " has " + std::to_string(size) +
               " values for " + std::to_string(texts_.size()) + " tokens");
    const std::string model(file_.text("tokenizer.ggml.model").value_or(""));
    if (model == "gpt2") read_byte_level(c);
    else if (model == "llama") read_scored(c);
    else if (model == "t5") read_unigram(c);
    else if (model == "bert") read_word_piece(c);
    else
      refuse("tokenizer.ggml.model: " + in_quotes(model) + " is not supported",
             ErrorName::NotSupportedError);
    c.chat_template = file_.text("tokenizer.chat_template").value_or("");
  }

 private:
  [[noreturn]] void refuse(const std::string& message,
                           ErrorName name = ErrorName::DataError) const {
    raise({message, name}, "tokenizer", label_);
  }
  template <class T> T checked(Result<T> result) const {
    if (!result) refuse(result.failure().message);
    return std::move(*result);
  }
  std::int32_t type(std::size_t i) const { return types_.empty() ? 1 : types_[i]; }

  /// The tokens, of which those that a text may spell out are added ones.
  void set_all(TokenizerContents& c) const {
    TokenList list;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const auto token = static_cast<Token>(i);
      // Tokens that fill up a vocabulary may have the same text.
      std::string text(texts_[i]);
      if (type(i) == type_unused) text += "\n(unused " + std::to_string(i) + ')';
      list.entries.push_back({text, token});
      const bool special = type(i) == type_control || type(i) == type_unknown;
      if (special || type(i) == type_user)
        list.added.push_back({.text = std::move(text), .token = token, .is_special = special});
    }
    if (auto bad = set_tokens(c, std::move(list))) refuse(bad->message);
    c.bos = id("bos");
    c.eos = id("eos");
    c.unk = id("unknown");
    c.pad = id("padding");
  }
  std::optional<Token> id(std::string_view role) const {
    const auto number = file_.integer("tokenizer.ggml." + std::string(role) + "_token_id");
    if (number && *number >= texts_.size())
      refuse("tokenizer.ggml." + std::string(role) + "_token_id: " + std::to_string(*number) +
             " is not below " + std::to_string(texts_.size()) + ", the number of tokens");
    return number ? std::optional(static_cast<Token>(*number)) : std::nullopt;
  }
  bool flag(std::string_view name, bool otherwise) const {
    return file_.boolean("tokenizer.ggml." + std::string(name)).value_or(otherwise);
  }
  void set_ends(TokenizerContents& c, bool adds_bos, bool adds_eos) const {
    if (flag("add_bos_token", adds_bos) && c.bos) c.prefix = {*c.bos};
    if (flag("add_eos_token", adds_eos) && c.eos) c.suffix = {*c.eos};
  }

  void read_byte_level(TokenizerContents& c) const {
    const std::string name(file_.text("tokenizer.ggml.pre").value_or("gpt-2"));
    const auto named = pre_tokenizer_named(name);
    if (!named)
      refuse("tokenizer.ggml.pre: " + in_quotes(name) + " is not supported",
             ErrorName::NotSupportedError);
    if (named->nfc) c.normalizer = normalizers::nfc();
    std::vector<PreTokenizer> steps;
    for (const std::string_view expression : named->expressions)
      steps.push_back(pre_tokenizers::split(checked(Regex::compile(std::string(expression))),
                                            Behavior::isolated, false));
    steps.push_back(pre_tokenizers::byte_level(flag("add_space_prefix", false), nullptr));
    c.pre_tokenizer = pre_tokenizers::sequence(std::move(steps));
    c.decoder = {{DecodeStep::Kind::byte_level}};
    set_all(c);
    const auto merges = file_.texts("tokenizer.ggml.merges");
    if (!merges) refuse("tokenizer.ggml.merges is missing");
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const std::string_view m : *merges) {
      const std::size_t space = m.find(' ', 1);  // a token may begin with one
      if (space == m.npos) refuse("merge " + std::to_string(pairs.size()) + " is not two tokens");
      pairs.emplace_back(m.substr(0, space), m.substr(space + 1));
    }
    c.model = checked(bpe_model(c.vocabulary, pairs, {.ignore_merges = named->ignore_merges}));
    set_ends(c, false, false);
  }

  /// Spaces as characters, and one before the text.
  void set_spaces(TokenizerContents& c, bool prefix) const {
    c.normalizer = normalizers::replace(" ", space_text);
    if (prefix) {
      c.pre_tokenizer = [](std::vector<Piece> pieces) {
        for (Piece& p : pieces)
          if (p.is_first) p.text.insert(0, space_text);
        return pieces;
      };
    }
    c.decoder = {{.kind = DecodeStep::Kind::replace, .text = space_text, .content = " "},
                 {.kind = DecodeStep::Kind::byte_fallback}};
    if (prefix)
      c.decoder.push_back({.kind = DecodeStep::Kind::strip, .text = " ", .count = 1, .flag = true});
  }
  /// Scores of the tokens that texts are made of; NaN for the others.
  template <class T> std::vector<T> usable_scores() const {
    if (scores_.empty()) refuse("tokenizer.ggml.scores is missing");
    std::vector<T> scores(scores_.begin(), scores_.end());
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (const auto t = type(i); t != 1 && t != type_user)
        scores[i] = std::numeric_limits<T>::quiet_NaN();
    return scores;
  }
  Unknown unknown_of(const TokenizerContents& c) const {
    return {.token = c.unk, .fuse = true, .byte_tokens = byte_tokens_of(*c.vocabulary)};
  }
  void read_scored(TokenizerContents& c) const {
    set_spaces(c, flag("add_space_prefix", true));
    set_all(c);
    c.model = scored_bpe_model(c.vocabulary, usable_scores<float>(), {.unknown = unknown_of(c)});
    set_ends(c, true, false);
  }
  void read_unigram(TokenizerContents& c) const {
    set_spaces(c, flag("add_space_prefix", true));
    if (const Normalizer table = character_table())
      c.normalizer = normalizers::sequence({table, c.normalizer});
    set_all(c);
    c.model = unigram_model(c.vocabulary, usable_scores<double>(), unknown_of(c));
    set_ends(c, false, true);
  }
  Normalizer character_table() const {
    const gguf::Value* value = file_.find("tokenizer.ggml.precompiled_charsmap");
    if (!value) return {};
    const auto* array = std::get_if<std::shared_ptr<const gguf::Array>>(value);
    std::string bytes;
    if (array)
      std::visit(
          [&]<class V>(const V& values) {
            if constexpr (sizeof(typename V::value_type) == 1)
              bytes.assign(reinterpret_cast<const char*>(values.data()), values.size());
          },
          (*array)->values);
    return bytes.empty() ? Normalizer() : checked(normalizers::precompiled(std::move(bytes)));
  }
  void read_word_piece(TokenizerContents& c) const {
    c.normalizer = normalizers::bert({});
    c.pre_tokenizer = pre_tokenizers::bert();
    c.decoder = {{.kind = DecodeStep::Kind::replace, .text = space_text, .content = " "},
                 {.kind = DecodeStep::Kind::strip, .text = " ", .count = 1, .flag = true}};
    set_all(c);
    if (!c.unk) refuse("tokenizer.ggml.unknown_token_id is missing");
    c.model = word_piece_model(
        c.vocabulary, {.unknown = *c.unk, .first_prefix = space_text, .continuing_prefix = ""});
    if (const auto cls = id("cls")) c.prefix = {*cls};
    else if (c.bos) c.prefix = {*c.bos};
    const auto separator = id("seperator");  // the key of the format
    if (separator) c.suffix = {*separator};
    else if (c.eos) c.suffix = {*c.eos};
  }

  const gguf::File& file_;
  std::string_view label_;
  std::span<const std::string_view> texts_{};
  std::span<const std::int32_t> types_{};
  std::span<const float> scores_{};
};

}  // namespace

Tokenizer Tokenizer::from_gguf(const gguf::File& file, std::string_view label) {
  auto contents = std::make_shared<TokenizerContents>();
  Loader(file, label).read(*contents);
  return Tokenizer(std::move(contents));
}

}  // namespace webnn::inline v0_1::lm
