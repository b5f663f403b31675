#include <algorithm>
#include <cmath>
#include <limits>

#include "src/lm/tokenizer/model.h"
#include "src/lm/tokenizer/prefix_index.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr double unknown_penalty = 10;

class Unigram final : public Model {
 public:
  Unigram(const Vocabulary& vocabulary, std::vector<double> scores, Unknown unknown)
      : scores_(std::move(scores)), unknown_(std::move(unknown)) {
    std::vector<PrefixIndex::Entry> entries;
    double least = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      const auto token = static_cast<Token>(i);
      if (std::isnan(scores_[i]) || !vocabulary.has(token)) continue;
      entries.push_back({vocabulary.text(token), token});
      least = entries.size() == 1 ? scores_[i] : std::min(least, scores_[i]);
    }
    index_ = PrefixIndex(std::move(entries));
    unknown_score_ = least - unknown_penalty;
  }

  void encode(std::string_view word, std::vector<Token>& tokens) const override {
    const std::vector<End> ends = best_ends(word);
    std::vector<Range> parts;
    for (std::size_t end = word.size(); end > 0; end = ends[end].begin)
      parts.push_back({ends[end].begin, end, ends[end].token});
    std::ranges::reverse(parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].token >= 0) {
        tokens.push_back(parts[i].token);
        continue;
      }
      const std::size_t first = i;
      while (unknown_.fuse && i + 1 < parts.size() && parts[i + 1].token < 0) ++i;
      const std::string_view text =
          word.substr(parts[first].begin, parts[i].end - parts[first].begin);
      if (!append_bytes(unknown_, text, tokens) && unknown_.token)
        tokens.push_back(*unknown_.token);
    }
  }

 private:
  struct End {
    double score = -std::numeric_limits<double>::infinity();
    std::size_t begin = 0;
    Token token = -1;  // the unknown one
    bool reached = false;
  };
  struct Range {
    std::size_t begin, end;
    Token token;
  };

  /// The best part that ends at each byte, for the best parts before it.
  std::vector<End> best_ends(std::string_view word) const {
    std::vector<End> ends(word.size() + 1);
    ends[0].score = 0;
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t length = character_at(word, at).length;
      const double before = ends[at].score;
      bool is_known = false;
      const auto offer = [&](std::size_t end, double score, Token token) {
        if (!ends[end].reached || score > ends[end].score) ends[end] = {score, at, token, true};
      };
      index_.for_each_prefix(word.substr(at), [&](std::size_t n, Token token) {
        offer(at + n, before + scores_[static_cast<std::size_t>(token)], token);
        is_known |= n == length;
      });
      if (!is_known) offer(at + length, before + unknown_score_, -1);
      at += length;
    }
    return ends;
  }

  PrefixIndex index_{};
  std::vector<double> scores_;
  Unknown unknown_;
  double unknown_score_ = 0;
};

}  // namespace

std::unique_ptr<Model> unigram_model(std::shared_ptr<const Vocabulary> vocabulary,
                                     std::vector<double> scores, Unknown unknown) {
  return std::make_unique<Unigram>(*vocabulary, std::move(scores), std::move(unknown));
}

}  // namespace webnn::inline v0_1::lm
