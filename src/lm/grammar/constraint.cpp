#include "src/lm/grammar/constraint.h"

#include <algorithm>

#include "src/graph/failure.h"

namespace webnn::inline v0_1::lm {
namespace {

std::shared_ptr<const GrammarContents> contents_of(GrammarRules rules) {
  auto contents = std::make_shared<GrammarContents>();
  contents->automaton = automaton_of(rules);
  contents->rules = std::move(rules);
  return contents;
}

}  // namespace

Grammar Grammar::from_gbnf(std::string_view text) { return Grammar(contents_of(read_gbnf(text))); }
Grammar Grammar::from_json_schema(std::string_view schema) {
  return Grammar(contents_of(rules_of_schema(schema)));
}

bool Grammar::accepts(std::string_view text) const {
  Matcher matcher(contents_->automaton);
  Matcher::State s = matcher.start();
  for (std::size_t i = 0; i < text.size() && s != Matcher::dead; ++i)
    s = matcher.after(s, static_cast<std::uint8_t>(text[i]));
  return s != Matcher::dead && matcher.accepts(s);
}
bool Grammar::accepts_beginning(std::string_view text) const {
  Matcher matcher(contents_->automaton);
  Matcher::State s = matcher.start();
  for (std::size_t i = 0; i < text.size() && s != Matcher::dead; ++i)
    s = matcher.after(s, static_cast<std::uint8_t>(text[i]));
  return s != Matcher::dead;
}

/// Bytes that are no tokens by themselves are left out, so that each text has its tokens.
TokenGrammar::TokenGrammar(const Grammar& grammar, std::shared_ptr<const TokenTexts> texts,
                           std::size_t count)
    : texts_(std::move(texts)),
      count_(count),
      automaton_(automaton_of(grammar.contents_->rules, texts_->later.single_bytes())),
      matcher_(automaton_) {}

Constraint::Constraint(std::shared_ptr<TokenGrammar> grammar) : grammar_(std::move(grammar)) {
  const std::lock_guard lock(grammar_->mutex_);
  state_ = grammar_->matcher_.start();
  version_ = grammar_->version_;
  kept_ = grammar_->matcher_.kept(state_);
}

Matcher::State Constraint::state() {
  TokenGrammar& g = *grammar_;
  constexpr std::size_t max_states = 8192, max_bytes = 64 << 20;
  if (g.matcher_.size() > max_states || g.masks_.size() * (g.count_ / 8) > max_bytes) {
    g.matcher_.clear();
    g.masks_.clear();
    ++g.version_;
  }
  if (version_ != g.version_) {
    state_ = g.matcher_.restored(kept_);
    version_ = g.version_;
  }
  return state_;
}

std::vector<bool>& Constraint::allowed() {
  TokenGrammar& g = *grammar_;
  const std::lock_guard lock(g.mutex_);
  const Matcher::State at = state();
  if (is_first_) {
    allowed_.assign(g.count_, false);
    g.texts_->first.mark(g.matcher_, at, allowed_);
    return allowed_;
  }
  const auto i = static_cast<std::size_t>(at);
  if (g.masks_.size() <= i) g.masks_.resize(i + 1);
  if (!g.masks_[i]) {
    auto mask = std::make_shared<std::vector<bool>>(g.count_);
    g.texts_->later.mark(g.matcher_, at, *mask);
    g.masks_[i] = std::move(mask);
  }
  allowed_ = *g.masks_[i];
  return allowed_;
}

void Constraint::take(Token token) {
  TokenGrammar& g = *grammar_;
  const std::lock_guard lock(g.mutex_);
  Matcher::State at = state();
  const auto& texts = is_first_ ? g.texts_->bytes.first : g.texts_->bytes.later;
  for (const char c : texts[static_cast<std::size_t>(token)])
    if (at != Matcher::dead) at = g.matcher_.after(at, static_cast<std::uint8_t>(c));
  is_first_ = false;
  if (at == Matcher::dead)
    raise({format("the grammar does not allow token {} here", {token}), ErrorName::OperationError},
          "grammar");
  state_ = at;
  kept_ = g.matcher_.kept(at);
}

std::unique_ptr<Constraint> Constraints::make(const std::string& grammar, const std::string& schema,
                                              const Tokenizer& tokenizer,
                                              std::span<const Token> ends, std::size_t count) {
  constexpr std::size_t max_entries = 8;
  if (!grammar.empty() && !schema.empty())
    raise(fail("a grammar and a JSON schema exclude each other"), "grammar");
  const bool is_schema = !schema.empty();
  const std::string& text = is_schema ? schema : grammar;
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find_if(
      entries_, [&](const Entry& e) { return e.is_schema == is_schema && e.text == text; });
  if (found == entries_.end()) {
    const Grammar made = is_schema ? Grammar::from_json_schema(text) : Grammar::from_gbnf(text);
    if (!texts_) texts_ = std::make_shared<const TokenTexts>(tokenizer, ends);
    if (entries_.size() == max_entries) entries_.pop_back();
    found = entries_.insert(
        entries_.begin(),
        Entry{text, is_schema, std::make_shared<TokenGrammar>(made, texts_, count)});
  }
  std::rotate(entries_.begin(), found, found + 1);
  return std::make_unique<Constraint>(entries_.front().grammar);
}

}  // namespace webnn::inline v0_1::lm
