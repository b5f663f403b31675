#include <algorithm>

#include "src/lm/generation/state.h"

namespace webnn::inline v0_1::lm {
namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

SamplingOptions sampling_of(const GenerateOptions& o) {
  return {.temperature = o.temperature,
          .topK = o.topK,
          .topP = o.topP,
          .minP = o.minP,
          .repetitionPenalty = o.repetitionPenalty,
          .repetitionWindow = o.repetitionWindow,
          .seed = o.seed,
          .bias = o.bias,
          .logProbabilities = o.logProbabilities,
          .logProbability = false};
}

/// How many bytes at the end of the text are the beginning of `of`, but not all of it.
std::size_t begun(std::string_view text, std::string_view of) {
  for (std::size_t n = std::min(text.size(), of.size() - 1); n > 0; --n)
    if (text.ends_with(of.substr(0, n))) return n;
  return 0;
}

}  // namespace

double GenerationReport::prompt_tokens_per_second() const {
  const std::size_t computed = promptTokens - cachedTokens;
  return promptSeconds > 0 ? static_cast<double>(computed) / promptSeconds : 0;
}
double GenerationReport::tokens_per_second() const {
  return seconds > 0 && tokens > 1 ? static_cast<double>(tokens - 1) / seconds : 0;
}

Generation::State::State(std::shared_ptr<ModelContents> of, std::shared_ptr<CacheState> c,
                         std::vector<Token> p, const GenerateOptions& o)
    : model(std::move(of)),
      cache(std::move(c)),
      prompt(std::move(p)),
      options(o),
      sampler(sampling_of(o)) {
  const ModelContents& m = *model;
  constexpr std::string_view method = "generate";
  if (prompt.empty()) raise(fail("the prompt has no tokens"), method, m.h.label);
  if (prompt.size() > m.info.capacity)
    raise(fail("the prompt has {} tokens, and the cache has room for {}", prompt.size(),
               m.info.capacity),
          method, m.h.label);
  for (const std::string& s : options.stop)
    if (s.empty()) raise(fail("a stop text is empty"), method, m.h.label);
  for (const std::vector<Token>* list : {&prompt, &options.stopTokens})
    for (const Token t : *list)
      if (t < 0 || static_cast<std::uint32_t>(t) >= m.info.vocabulary)
        raise(fail("token {} is not below {}", t, m.info.vocabulary), method, m.h.label);
  if (m.tokenizer) stream.emplace(*m.tokenizer);
  if (!options.grammar.empty() || !options.jsonSchema.empty()) {
    if (!m.tokenizer)
      raise({"a grammar needs a tokenizer, which the files of the model do not have",
             ErrorName::InvalidStateError},
            method, m.h.label);
    constraint = model->constraints.make(options.grammar, options.jsonSchema, *m.tokenizer,
                                         m.end_tokens, m.info.vocabulary);
  }
  report.promptTokens = prompt.size();
  if (cache) changes = cache->changes;
}

bool Generation::State::is_end(Token token) const {
  const std::vector<Token>& own = model->end_tokens;
  return !options.ignoreEnd && std::ranges::find(own, token) != own.end();
}

void Generation::State::check_cache() const {
  if (cache->changes != changes)
    raise({"the cache was changed by something else", ErrorName::InvalidStateError}, "generate",
          model->h.label);
}

void Generation::State::read(std::span<const Token> next, const std::stop_token& stop) {
  logits.resize(model->info.vocabulary);
  evaluate(*cache, next, logits, 1, stop);
  changes = cache->changes;
}

void Generation::State::begin(const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  // At least one token is computed, for its logits.
  const std::uint32_t most = static_cast<std::uint32_t>(prompt.size()) - 1;
  std::uint32_t known = std::min(cache->common_prefix(prompt), most);
  if (!cache->can_trim(known)) known = 0;
  report.cachedTokens = known;
  if (known < cache->size()) cache->trim(known);
  read(std::span(prompt).subspan(known), stop);
  report.promptSeconds = seconds_since(start);
  started = true;
}

bool Generation::State::is_full() {
  if (cache->size() < model->info.capacity) return false;
  report.finishReason = FinishReason::capacity;
  finish();
  return true;
}

void Generation::State::finish() {
  if (stream) held += stream->finish();
  release(true);
}

void Generation::State::step() {
  const auto start = std::chrono::steady_clock::now();
  const Token last = tokens.back();
  read({&last, 1}, options.cancel);
  report.seconds += seconds_since(start);
}

void Generation::State::release(bool all) {
  std::size_t keep = 0;
  if (!all)
    for (const std::string& s : options.stop) keep = std::max(keep, begun(held, s));
  piece.append(held, 0, held.size() - keep);
  held.erase(0, held.size() - keep);
}

/// Vocabularies of networks may have more tokens than their tokenizer, which fill them up.
std::string Generation::State::text_of(Token token) {
  if (!stream || static_cast<std::size_t>(token) >= model->tokenizer->size()) return {};
  return stream->put(token);
}

Sample Generation::State::choose(std::span<const float> of) {
  if (!constraint) return sampler.sample(of, cache->sequence.tokens);
  std::vector<bool>& allowed = constraint->allowed();
  if (constraint->accepts() && !options.ignoreEnd)
    for (const Token t : model->end_tokens)
      if (static_cast<std::size_t>(t) < allowed.size()) allowed[static_cast<std::size_t>(t)] = true;
  return sampler.sample(of, cache->sequence.tokens, allowed);
}

void Generation::State::take(std::span<const float> of) {
  if (constraint && constraint->is_complete()) {  // without a token
    report.finishReason = FinishReason::end;
    return finish();
  }
  Sample sample = choose(of);
  const Token token = sample.token;
  if (options.logProbabilities > 0) samples.push_back(std::move(sample));
  add(token);
}

void Generation::State::add(Token token) {
  tokens.push_back(token);
  report.tokens = tokens.size();
  if (is_end(token)) {
    report.finishReason = FinishReason::end;
  } else if (std::ranges::find(options.stopTokens, token) != options.stopTokens.end()) {
    report.finishReason = FinishReason::stop;
  } else {
    held += text_of(token);
    if (constraint) constraint->take(token);
    std::size_t cut = std::string::npos;
    for (const std::string& s : options.stop) cut = std::min(cut, held.find(s));
    if (cut != std::string::npos) {
      held.resize(cut);
      report.finishReason = FinishReason::stop;
      release(true);
      return;
    }
    if (constraint && constraint->is_complete()) report.finishReason = FinishReason::end;
    else if (options.maxTokens != 0 && tokens.size() >= options.maxTokens)
      report.finishReason = FinishReason::length;
  }
  if (ended() && stream) held += stream->finish();
  release(ended());
}

std::optional<std::string_view> Generation::State::next() {
  piece.clear();
  while (piece.empty() && !ended()) {
    check_cache();
    if (!started) begin(options.cancel);
    else if (!is_full()) step();
    if (!ended()) take(logits);
  }
  if (piece.empty()) return std::nullopt;
  text += piece;
  return piece;
}

Generation::Generation(std::shared_ptr<State> state) : state_(std::move(state)) {}
Generation::Generation(Generation&&) noexcept = default;
Generation& Generation::operator=(Generation&&) noexcept = default;
Generation::~Generation() = default;

std::optional<std::string_view> Generation::next() { return state_->next(); }
std::string Generation::rest() {
  std::string all;
  while (const auto piece = next()) all += *piece;
  return all;
}
std::span<const Token> Generation::tokens() const { return state_->tokens; }
std::span<const Sample> Generation::samples() const { return state_->samples; }
const GenerationReport& Generation::report() const { return state_->report; }
Generation::iterator Generation::begin() {
  iterator it;
  it.generation_ = this;
  return ++it;
}

}  // namespace webnn::inline v0_1::lm
