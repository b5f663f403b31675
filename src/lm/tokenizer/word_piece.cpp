#include "src/lm/tokenizer/model.h"
#include "src/lm/tokenizer/prefix_index.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

/// The tokens that begin with a prefix, without it.
PrefixIndex index_of(const Vocabulary& vocabulary, std::string_view prefix) {
  std::vector<PrefixIndex::Entry> entries;
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const auto token = static_cast<Token>(i);
    const std::string_view text = vocabulary.text(token);
    if (vocabulary.has(token) && text.starts_with(prefix))
      entries.push_back({std::string(text.substr(prefix.size())), token});
  }
  return PrefixIndex(std::move(entries));
}

class WordPiece final : public Model {
 public:
  WordPiece(const Vocabulary& vocabulary, const WordPieceOptions& options)
      : first_(index_of(vocabulary, options.first_prefix)),
        continuing_(index_of(vocabulary, options.continuing_prefix)),
        unknown_(options.unknown),
        max_characters_(options.max_characters) {}

  void encode(std::string_view word, std::vector<Token>& tokens) const override {
    std::size_t characters = 0;
    for_each_character(word, [&](char32_t, std::string_view) { ++characters; });
    const std::size_t before = tokens.size();
    bool is_known = characters <= max_characters_;
    for (std::size_t at = 0; is_known && at < word.size();) {
      const auto match = (at == 0 ? first_ : continuing_).longest_prefix(word.substr(at));
      is_known = match.length > 0;
      if (is_known) tokens.push_back(match.value);
      at += match.length;
    }
    if (is_known) return;
    tokens.resize(before);
    tokens.push_back(unknown_);
  }

 private:
  PrefixIndex first_, continuing_;
  Token unknown_;
  std::size_t max_characters_;
};

}  // namespace

std::unique_ptr<Model> word_piece_model(std::shared_ptr<const Vocabulary> vocabulary,
                                        const WordPieceOptions& options) {
  return std::make_unique<WordPiece>(*vocabulary, options);
}

}  // namespace webnn::inline v0_1::lm
