#include <algorithm>
#include <cmath>
#include <queue>

#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/lm/tokenizer/model.h"
#include "src/lm/tokenizer/unicode.h"

namespace webnn::inline v0_1::lm {
namespace {

/// What two neighbors become. Smaller ranks are done first.
struct Merge {
  double rank = 0;
  Token token = 0;
};

/// The merges of a file, sorted, with the place where those of each left token begin.
class MergeTable {
 public:
  struct Entry {
    Token left, right, token;
    std::uint32_t rank;
  };
  MergeTable() = default;
  /// Of two merges of one pair, the last one counts.
  MergeTable(std::vector<Entry> entries, std::size_t tokens) : entries_(std::move(entries)) {
    const auto pair = [](const Entry& e) { return std::pair(e.left, e.right); };
    std::ranges::stable_sort(entries_, {}, pair);
    const auto same = [&](const Entry& a, const Entry& b) { return pair(a) == pair(b); };
    const auto twice = std::unique(entries_.rbegin(), entries_.rend(), same);
    entries_.erase(entries_.begin(), twice.base());
    begin_.resize(tokens + 1);
    for (const Entry& e : entries_) ++begin_[static_cast<std::size_t>(e.left) + 1];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  }
  std::optional<Merge> find(Token left, Token right) const {
    if (left < 0 || right < 0) return std::nullopt;
    const auto at = static_cast<std::size_t>(left);
    const auto first = entries_.begin() + begin_[at], last = entries_.begin() + begin_[at + 1];
    const auto it =
        std::lower_bound(first, last, right, [](const Entry& e, Token r) { return e.right < r; });
    if (it == last || it->right != right) return std::nullopt;
    return Merge{static_cast<double>(it->rank), it->token};
  }

 private:
  std::vector<Entry> entries_{};
  std::vector<std::uint32_t> begin_{};
};

/// A part of a word: a link of a list in both directions.
struct Symbol {
  Token token = -1;  // -1: it is not in the vocabulary
  std::size_t begin = 0, end = 0;
  std::int64_t before = -1, after = -1;
  bool merged = false;  // into the one before
};

/// Merges neighbors, of the smallest rank first, of equal ones the leftmost: n log n.
/// find(left, right) gives their merge, if there is one.
template <class Find> void merge_all(std::vector<Symbol>& symbols, Find find) {
  struct Candidate {
    Merge merge;
    std::int64_t left;
    std::size_t end;  // of the right one
    bool operator<(const Candidate& other) const {
      if (merge.rank != other.merge.rank) return merge.rank > other.merge.rank;
      return left > other.left;
    }
  };
  const auto at = [&](std::int64_t i) -> Symbol& { return symbols[static_cast<std::size_t>(i)]; };
  std::vector<Candidate> room;
  room.reserve(symbols.size());
  std::priority_queue<Candidate> queue({}, std::move(room));
  const auto consider = [&](std::int64_t left) {
    if (left < 0 || at(left).after < 0) return;
    const Symbol& right = at(at(left).after);
    if (const auto merge = find(at(left), right)) queue.push({*merge, left, right.end});
  };
  for (std::size_t i = 0; i + 1 < symbols.size(); ++i) consider(static_cast<std::int64_t>(i));
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = at(best.left);
    if (left.merged || left.after < 0) continue;
    Symbol& right = at(left.after);
    if (right.end != best.end) continue;  // the right one has grown
    const auto now = find(left, right);
    if (!now || now->token != best.merge.token) continue;  // the left one has grown
    left.token = best.merge.token;
    left.end = right.end;
    left.after = right.after;
    right.merged = true;
    if (left.after >= 0) at(left.after).before = best.left;
    consider(left.before);
    consider(best.left);
  }
}

void link(std::vector<Symbol>& symbols) {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    symbols[i].before = static_cast<std::int64_t>(i) - 1;
    symbols[i].after = i + 1 < symbols.size() ? static_cast<std::int64_t>(i) + 1 : -1;
  }
}

class Bpe final : public Model {
 public:
  Bpe(std::shared_ptr<const Vocabulary> vocabulary, MergeTable merges, BpeOptions options)
      : vocabulary_(std::move(vocabulary)),
        merges_(std::move(merges)),
        options_(std::move(options)) {}

  void encode(std::string_view word, std::vector<Token>& tokens) const override {
    if (word.empty()) return;
    if (options_.ignore_merges)
      if (const auto token = vocabulary_->find(word)) return tokens.push_back(*token);
    std::vector<Symbol> symbols = symbols_of(word);
    link(symbols);
    merge_all(symbols,
              [&](const Symbol& l, const Symbol& r) { return merges_.find(l.token, r.token); });
    for (const Symbol& s : symbols)
      if (!s.merged) tokens.push_back(s.token);
  }

 private:
  std::vector<Symbol> symbols_of(std::string_view word) const {
    std::vector<Symbol> symbols;
    std::size_t at = 0;
    bool fused = false;  // the last symbol is the unknown token
    std::string decorated;
    std::vector<Token> bytes;
    for_each_character(word, [&](char32_t, std::string_view character) {
      const std::size_t begin = at;
      at += character.size();
      std::string_view text = character;
      if (!options_.continuing_prefix.empty() || !options_.end_suffix.empty()) {
        decorated = begin > 0 ? options_.continuing_prefix : std::string();
        decorated += character;
        if (at == word.size()) decorated += options_.end_suffix;
        text = decorated;
      }
      bytes.clear();
      if (const auto token = vocabulary_->find(text)) bytes.push_back(*token);
      else append_bytes(options_.unknown, text, bytes);
      if (bytes.empty()) {
        add_unknown(symbols, begin, at, fused);
        return;
      }
      fused = false;
      for (const Token t : bytes) symbols.push_back({t, begin, at});
    });
    // The ends tell whether a neighbor has grown: they differ also among the bytes of a character.
    for (std::size_t i = 0; i < symbols.size(); ++i) symbols[i] = {symbols[i].token, i, i + 1};
    return symbols;
  }
  void add_unknown(std::vector<Symbol>& symbols, std::size_t begin, std::size_t end,
                   bool& fused) const {
    if (!options_.unknown.token) return;
    if (!fused) symbols.push_back({*options_.unknown.token, begin, end});
    fused = options_.unknown.fuse;
  }

  std::shared_ptr<const Vocabulary> vocabulary_;
  MergeTable merges_;
  BpeOptions options_;
};

class ScoredBpe final : public Model {
 public:
  ScoredBpe(std::shared_ptr<const Vocabulary> vocabulary, std::vector<float> scores,
            BpeOptions options)
      : vocabulary_(std::move(vocabulary)),
        scores_(std::move(scores)),
        options_(std::move(options)) {
    for (std::size_t i = 0; i < vocabulary_->size(); ++i)
      longest_ = std::max(longest_, vocabulary_->text(static_cast<Token>(i)).size());
  }

  void encode(std::string_view word, std::vector<Token>& tokens) const override {
    std::vector<Symbol> symbols;
    for_each_character(word, [&](char32_t, std::string_view character) {
      const auto begin = static_cast<std::size_t>(character.data() - word.data());
      symbols.push_back(
          {vocabulary_->find(character).value_or(-1), begin, begin + character.size()});
    });
    link(symbols);
    merge_all(symbols, [&](const Symbol& l, const Symbol& r) {
      return find(word.substr(l.begin, r.end - l.begin));
    });
    bool fused = false;
    for (const Symbol& s : symbols) {
      if (s.merged) continue;
      const bool is_known = s.token >= 0;
      if (is_known) tokens.push_back(s.token);
      else if (append_bytes(options_.unknown, word.substr(s.begin, s.end - s.begin), tokens))
        fused = false;
      else if (options_.unknown.token && !std::exchange(fused, options_.unknown.fuse))
        tokens.push_back(*options_.unknown.token);
      if (is_known) fused = false;
    }
  }

 private:
  std::optional<Merge> find(std::string_view text) const {
    if (text.size() > longest_) return std::nullopt;
    const auto token = vocabulary_->find(text);
    if (!token) return std::nullopt;
    const float score = scores_[static_cast<std::size_t>(*token)];
    if (std::isnan(score)) return std::nullopt;
    return Merge{-static_cast<double>(score), *token};
  }

  std::shared_ptr<const Vocabulary> vocabulary_;
  std::vector<float> scores_;
  BpeOptions options_;
  std::size_t longest_ = 0;
};

}  // namespace

Result<std::unique_ptr<Model>> bpe_model(
    std::shared_ptr<const Vocabulary> vocabulary,
    const std::vector<std::pair<std::string, std::string>>& merges, BpeOptions options) {
  std::vector<MergeTable::Entry> entries;
  entries.reserve(merges.size());
  std::string merged;
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const auto& [left, right] = merges[i];
    if (!right.starts_with(options.continuing_prefix))
      return fail("merge {} joins {} to {}, which does not begin with {}", i, in_quotes(left),
                  in_quotes(right), in_quotes(options.continuing_prefix));
    merged = left;
    merged.append(right, options.continuing_prefix.size());
    const auto a = vocabulary->find(left), b = vocabulary->find(right),
               both = vocabulary->find(merged);
    if (!a || !b || !both)
      return fail("merge {} has {}, which is not a token", i,
                  in_quotes(!a   ? left
                            : !b ? right
                                 : merged));
    entries.push_back({*a, *b, *both, static_cast<std::uint32_t>(i)});
  }
  MergeTable table(std::move(entries), vocabulary->size());
  return std::unique_ptr<Model>(
      std::make_unique<Bpe>(std::move(vocabulary), std::move(table), std::move(options)));
}

std::unique_ptr<Model> scored_bpe_model(std::shared_ptr<const Vocabulary> vocabulary,
                                        std::vector<float> scores, BpeOptions options) {
  return std::make_unique<ScoredBpe>(std::move(vocabulary), std::move(scores), std::move(options));
}

}  // namespace webnn::inline v0_1::lm
