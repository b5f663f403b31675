// tokenizer.json and tokenizer_config.json of Hugging Face.
#include <cmath>

#include "src/formats/common/json.h"
#include "src/lm/tokenizer/json_parts.h"

namespace webnn::inline v0_1::lm {
namespace {

std::vector<Vocabulary::Entry> read_entries(const Fields& vocab) {
  if (vocab.value.kind != Value::Kind::object) vocab.refuse("it is not an object");
  std::vector<Vocabulary::Entry> entries;
  const auto& items = vocab.value.items;
  entries.reserve(items.size() / 2);
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    Token token = 0;
    if (auto bad = formats::from_value(items[i + 1], token))
      vocab.refuse(in_quotes(items[i].text) + ": " + bad->message);
    entries.push_back({items[i].text, token});
  }
  return entries;
}

/// "a b", or ["a", "b"].
std::vector<std::pair<std::string, std::string>> read_merges(const Fields& list) {
  std::vector<std::pair<std::string, std::string>> merges;
  merges.reserve(list.count());
  for (const Value& v : list.value.items) {
    const auto place = [&] { return "merge " + std::to_string(merges.size()); };
    if (v.kind == Value::Kind::list && v.items.size() == 2 && v.items[0].is_text() &&
        v.items[1].is_text()) {
      merges.emplace_back(v.items[0].text, v.items[1].text);
      continue;
    }
    const std::size_t space = v.is_text() ? v.text.find(' ') : std::string::npos;
    if (space == std::string::npos) list.refuse(place() + " is not two tokens");
    merges.emplace_back(v.text.substr(0, space), v.text.substr(space + 1));
  }
  return merges;
}

/// Pairs of a text and a score; the index is the token.
std::vector<double> read_scores(const Fields& list, std::vector<Vocabulary::Entry>& entries) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < list.count(); ++i) {
    const Fields pair = list.item(i);
    if (pair.count() != 2) pair.refuse("it is not a token and its score");
    entries.push_back({pair.item(0).as<std::string>(), static_cast<Token>(i)});
    scores.push_back(pair.item(1).as<double>());
    if (!std::isfinite(scores.back())) pair.refuse("the score is not finite");
  }
  return scores;
}

class Loader {
 public:
  Loader(const Value& root, std::string_view label) : root_{root, {}, label} {}

  void read(TokenizerContents& c) {
    if (root_.find("normalizer")) c.normalizer = read_normalizer(root_.at("normalizer"));
    if (root_.find("pre_tokenizer"))
      c.pre_tokenizer = read_pre_tokenizer(root_.at("pre_tokenizer"));
    if (root_.find("decoder")) c.decoder = read_decoder(root_.at("decoder"));
    const Fields model = root_.at("model");
    TokenList list;
    std::vector<double> scores;
    if (type_of(model) == "Unigram") scores = read_scores(model.at("vocab"), list.entries);
    else list.entries = read_entries(model.at("vocab"));
    // The model does not know tokens that are only added.
    auto own = value_or_refuse(Vocabulary::of(list.entries), model);
    const auto vocabulary = std::make_shared<const Vocabulary>(std::move(own));
    read_added(list);
    if (auto bad = set_tokens(c, std::move(list))) root_.refuse(bad->message);
    c.model = read_model(c, model, vocabulary, std::move(scores));
    if (root_.find("post_processor")) read_processor(c, root_.at("post_processor"));
  }

 private:
  /// Older files have no type.
  static std::string type_of(const Fields& model) {
    std::string type = model.text("type");
    if (!type.empty()) return type;
    if (model.find("merges")) return "BPE";
    return model.find("unk_id") ? "Unigram" : "WordPiece";
  }

  void read_added(TokenList& list) const {
    if (!root_.find("added_tokens")) return;
    const Fields all = root_.at("added_tokens");
    for (std::size_t i = 0; i < all.count(); ++i) {
      const Fields t = all.item(i);
      const bool special = t.get("special", false);
      list.added.push_back({.text = t.get<std::string>("content"),
                            .token = t.get<Token>("id"),
                            .is_special = special,
                            .single_word = t.get("single_word", false),
                            .left_strip = t.get("lstrip", false),
                            .right_strip = t.get("rstrip", false),
                            .is_normalized = t.get("normalized", !special)});
    }
  }

  static Unknown read_unknown(const Fields& model, const Vocabulary& v) {
    Unknown unknown;
    if (model.find("unk_token")) {
      unknown.token = v.find(model.text("unk_token"));
      if (!unknown.token && !model.text("unk_token").empty())
        model.refuse("unk_token is not a token");
    }
    unknown.fuse = model.get("fuse_unk", false);
    if (model.get("byte_fallback", false)) unknown.byte_tokens = byte_tokens_of(v);
    return unknown;
  }

  static std::unique_ptr<Model> read_model(TokenizerContents& c, const Fields& model,
                                           const std::shared_ptr<const Vocabulary>& v,
                                           std::vector<double> scores) {
    const std::string type = type_of(model);
    if (type == "BPE") {
      if (model.get("dropout", 0.0) > 0)
        model.refuse("dropout is not supported", ErrorName::NotSupportedError);
      Unknown unknown = read_unknown(model, *v);
      c.unk = unknown.token;
      return value_or_refuse(
          bpe_model(v, read_merges(model.at("merges")),
                    {.unknown = std::move(unknown),
                     .continuing_prefix = model.text("continuing_subword_prefix"),
                     .end_suffix = model.text("end_of_word_suffix"),
                     .ignore_merges = model.get("ignore_merges", false)}),
          model);
    }
    if (type == "WordPiece") {
      c.unk = v->find(model.text("unk_token", "[UNK]"));
      if (!c.unk) model.refuse("unk_token is not a token");
      return word_piece_model(
          v, {.unknown = *c.unk,
              .continuing_prefix = model.text("continuing_subword_prefix", "##"),
              .max_characters = model.get<std::uint32_t>("max_input_chars_per_word", 100)});
    }
    if (type != "Unigram") refuse_type(model);
    Unknown unknown{.fuse = true};
    if (model.find("unk_id")) {
      const auto token = model.get<Token>("unk_id");
      if (token < 0 || static_cast<std::size_t>(token) >= v->size())
        model.refuse("unk_id is not a token");
      c.unk = unknown.token = token;
    }
    if (model.get("byte_fallback", false)) unknown.byte_tokens = byte_tokens_of(*v);
    return unigram_model(v, std::move(scores), std::move(unknown));
  }

  static Token token_of(const TokenizerContents& c, const Fields& part, const std::string& text) {
    const auto token = c.vocabulary->find(text);
    if (!token) part.refuse(in_quotes(text) + " is not a token");
    return *token;
  }

  void read_processor(TokenizerContents& c, const Fields& part) const {
    const auto type = part.get<std::string>("type");
    if (type == "ByteLevel") return;
    if (type == "Sequence") {
      const Fields list = part.at("processors");
      for (std::size_t i = 0; i < list.count(); ++i) read_processor(c, list.item(i));
    } else if (type == "BertProcessing" || type == "RobertaProcessing") {
      for (const auto& [key, tokens] : {std::pair("cls", &c.prefix), {"sep", &c.suffix}}) {
        const Fields pair = part.at(key);
        if (pair.count() != 2) pair.refuse("it is not a token and its number");
        tokens->push_back(token_of(c, part, pair.item(0).as<std::string>()));
      }
    } else if (type == "TemplateProcessing") {
      read_template(c, part);
    } else {
      refuse_type(part);
    }
  }
  static void read_template(TokenizerContents& c, const Fields& part) {
    const Fields single = part.at("single");
    std::vector<Token> prefix, suffix;
    bool is_behind = false;
    for (std::size_t i = 0; i < single.count(); ++i) {
      const Fields item = single.item(i);
      if (item.find("Sequence")) {
        if (std::exchange(is_behind, true))
          item.refuse("a template with two texts is not supported", ErrorName::NotSupportedError);
        continue;
      }
      const auto id = item.at("SpecialToken").get<std::string>("id");
      const Fields ids = part.at("special_tokens").at(id).at("ids");
      for (std::size_t k = 0; k < ids.count(); ++k) {
        const auto token = ids.item(k).as<Token>();
        if (token < 0 || static_cast<std::size_t>(token) >= c.vocabulary->size())
          ids.item(k).refuse("it is not a token");
        (is_behind ? suffix : prefix).push_back(token);
      }
    }
    // A processor before it may have added its own.
    c.prefix.insert(c.prefix.begin(), prefix.begin(), prefix.end());
    c.suffix.insert(c.suffix.end(), suffix.begin(), suffix.end());
  }

  Fields root_;
};

/// "<s>", or an object with that content.
std::optional<Token> named_token(const Fields& config, std::string_view key,
                                 const TokenizerContents& c) {
  const Value* v = config.find(key);
  if (v && v->kind == Value::Kind::object) v = config.at(key).find("content");
  return v && v->is_text() ? c.vocabulary->find(v->text) : std::nullopt;
}

void read_config(const Fields& config, TokenizerContents& c) {
  if (const auto token = named_token(config, "bos_token", c)) c.bos = token;
  if (const auto token = named_token(config, "eos_token", c)) c.eos = token;
  if (const auto token = named_token(config, "unk_token", c)) c.unk = token;
  if (const auto token = named_token(config, "pad_token", c)) c.pad = token;
  const Value* text = config.find("chat_template");
  if (text && text->is_text()) c.chat_template = text->text;
  if (!text || text->kind != Value::Kind::list) return;
  // Several templates, of which one is the usual one.
  const Fields list = config.at("chat_template");
  for (std::size_t i = 0; i < list.count(); ++i)
    if (list.item(i).text("name") == "default") c.chat_template = list.item(i).text("template");
}

Value parsed(std::string_view text, std::string_view label) {
  auto value = formats::read_json(text, {.max_depth = 32});
  if (!value) raise(value.failure(), "tokenizer", label);
  return std::move(*value);
}

}  // namespace

Tokenizer Tokenizer::from_json(std::string_view tokenizer, std::string_view config,
                               std::string_view label) {
  auto contents = std::make_shared<TokenizerContents>();
  {
    const Value root = parsed(tokenizer, label);
    Loader(root, label).read(*contents);
  }
  if (!config.empty()) {
    const Value root = parsed(config, label);
    read_config({root, "tokenizer_config", label}, *contents);
  }
  return Tokenizer(std::move(contents));
}

}  // namespace webnn::inline v0_1::lm
