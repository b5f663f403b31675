#include "webnn/lm/tokenizer.h"

#include "src/graph/failure.h"
#include "src/lm/tokenizer/contents.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr std::size_t max_text = std::size_t{1} << 30;

void append_words(const TokenizerContents& c, std::string_view text, bool is_first,
                  std::vector<Token>& tokens) {
  std::vector<Piece> pieces;
  pieces.push_back({std::string(text), is_first});
  if (c.pre_tokenizer) pieces = c.pre_tokenizer(std::move(pieces));
  for (const Piece& p : pieces)
    if (!p.text.empty()) c.model->encode(p.text, tokens);
}

}  // namespace

std::optional<Failure> set_tokens(TokenizerContents& contents, TokenList list) {
  // An added token is often an entry too, perhaps with other additions of that text.
  std::vector<Vocabulary::Entry> entries = std::move(list.entries);
  std::unordered_map<Token, std::size_t> places;
  for (std::size_t i = 0; i < entries.size(); ++i) places.emplace(entries[i].token, i);
  for (const AddedToken& t : list.added) {
    const auto [at, is_new] = places.emplace(t.token, entries.size());
    if (is_new) entries.push_back({t.text, t.token});
    else entries[at->second].text = t.text;
  }
  auto vocabulary = Vocabulary::of(std::move(entries));
  if (!vocabulary) return vocabulary.failure();
  contents.vocabulary = std::make_shared<const Vocabulary>(std::move(*vocabulary));
  contents.is_added.resize(contents.vocabulary->size());
  contents.is_special.resize(contents.vocabulary->size());
  std::vector<AddedToken> before, after;
  for (AddedToken& t : list.added) {
    contents.is_added[static_cast<std::size_t>(t.token)] = true;
    if (t.is_special) contents.is_special[static_cast<std::size_t>(t.token)] = true;
    if (t.is_normalized && contents.normalizer) t.text = contents.normalizer(valid_utf8(t.text));
    (t.is_normalized ? after : before).push_back(std::move(t));
  }
  contents.before = AddedTokens(std::move(before));
  contents.after = AddedTokens(std::move(after));
  return std::nullopt;
}

std::vector<Token> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  if (text.size() > max_text)
    raise(fail("a text of {} bytes is longer than {}", text.size(), max_text), "encode");
  const TokenizerContents& c = *contents_;
  std::vector<Token> tokens;
  if (options.addSpecial) tokens = c.prefix;
  const std::string valid = valid_utf8(text);
  bool is_first = true;
  for (const AddedTokens::Part& part : c.before.split(valid, options.parseSpecial)) {
    if (part.token) {
      tokens.push_back(*part.token);
    } else {
      std::string normal(part.text);
      if (c.normalizer) normal = c.normalizer(std::move(normal));
      for (const AddedTokens::Part& p : c.after.split(normal, options.parseSpecial)) {
        if (p.token) tokens.push_back(*p.token);
        else append_words(c, p.text, is_first, tokens);
        is_first = false;
      }
    }
    is_first = false;
  }
  if (options.addSpecial) tokens.insert(tokens.end(), c.suffix.begin(), c.suffix.end());
  return tokens;
}

std::string Tokenizer::decode(std::span<const Token> tokens, const DecodeOptions& options) const {
  TokenStream stream(*this, options);
  std::string text;
  for (const Token t : tokens) text += stream.put(t);
  return text + stream.finish();
}

std::size_t Tokenizer::size() const { return contents_->vocabulary->size(); }

std::string_view Tokenizer::text_of(Token token) const {
  if (token < 0 || static_cast<std::size_t>(token) >= size())
    raise(fail("token {} is not between 0 and {}, the number of tokens", token, size()), "decode");
  return contents_->vocabulary->text(token);
}
std::optional<Token> Tokenizer::find(std::string_view text) const {
  return contents_->vocabulary->find(text);
}
bool Tokenizer::is_special(Token token) const {
  return token >= 0 && static_cast<std::size_t>(token) < size() &&
         contents_->is_special[static_cast<std::size_t>(token)];
}

std::optional<Token> Tokenizer::bos() const { return contents_->bos; }
std::optional<Token> Tokenizer::eos() const { return contents_->eos; }
std::optional<Token> Tokenizer::unk() const { return contents_->unk; }
std::optional<Token> Tokenizer::pad() const { return contents_->pad; }
const std::string& Tokenizer::chat_template() const { return contents_->chat_template; }

struct TokenStream::State {
  Tokenizer tokenizer;
  DecodeOptions options;
  Decoding decoding;
  std::string rest{};  // the beginning of a character
};

TokenStream::TokenStream(const Tokenizer& tokenizer, const DecodeOptions& options)
    : state_(new State{tokenizer, options, Decoding(tokenizer.contents_->decoder)}) {}
TokenStream::TokenStream(TokenStream&&) noexcept = default;
TokenStream& TokenStream::operator=(TokenStream&&) noexcept = default;
TokenStream::~TokenStream() = default;

std::string TokenStream::put(Token token) {
  if (!state_) raise({"the stream was moved", ErrorName::InvalidStateError}, "decode");
  const std::string_view text = state_->tokenizer.text_of(token);
  if (state_->options.skipSpecial && state_->tokenizer.is_special(token)) return {};
  const bool is_added = state_->tokenizer.contents_->is_added[static_cast<std::size_t>(token)];
  state_->rest += state_->decoding.put(text, is_added);
  const std::size_t whole = complete_utf8(state_->rest);
  std::string out = valid_utf8(std::string_view(state_->rest).substr(0, whole));
  state_->rest.erase(0, whole);
  return out;
}

std::string TokenStream::finish() {
  if (!state_) raise({"the stream was moved", ErrorName::InvalidStateError}, "decode");
  state_->decoding.begin();
  return valid_utf8(std::exchange(state_->rest, {}));
}

}  // namespace webnn::inline v0_1::lm
