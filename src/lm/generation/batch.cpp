// Sequences that enter a batch, are computed together, and leave it.
#include <algorithm>
#include <deque>

#include "src/lm/generation/state.h"
#include "webnn/lm/batch.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr std::string_view method = "batch";

}  // namespace

struct Batch::State {
  struct Entry {
    std::size_t number = 0;
    std::shared_ptr<Generation::State> sequence{};
  };

  std::shared_ptr<ModelContents> model;
  BatchOptions options;

  // Guards what threads add.
  mutable std::mutex mutex{};
  std::deque<std::shared_ptr<Generation::State>> all{};  // by number
  std::deque<std::size_t> waiting{};
  std::vector<std::size_t> canceled{};

  std::vector<Entry> running{};  // in the order in which they began
  std::deque<std::pair<std::size_t, std::string>> pieces{};
  std::string piece{};  // that next() has returned
  std::vector<std::shared_ptr<CacheState>> free{};
  std::vector<std::shared_ptr<CacheState>> own{};
  std::shared_ptr<CacheState> filler{};  // the second row of a sequence that is alone
  std::optional<JoinedCaches> joined{};
  std::vector<float> logits{};

  State(std::shared_ptr<ModelContents> of, const BatchOptions& o)
      : model(std::move(of)), options(o) {}

  std::size_t add(std::shared_ptr<Generation::State> sequence);
  Generation::State& at(std::size_t number) const;
  std::optional<Piece> next(const std::stop_token& stop);

 private:
  void step(const std::stop_token& stop);
  void cancel_asked();
  bool begin_one(const std::stop_token& stop);
  void join(const std::vector<Entry>& now, const std::stop_token& stop);
  void evaluate(std::vector<Entry>& now, const std::stop_token& stop);
  void take(Entry& e, std::span<const float> logits);
  void keep_piece(const Entry& e);
  void leave(Generation::State& sequence);
  void drop(const Entry& e);
  void remove_ended();
};

std::size_t Batch::State::add(std::shared_ptr<Generation::State> sequence) {
  const std::lock_guard lock(mutex);
  all.push_back(std::move(sequence));
  waiting.push_back(all.size() - 1);
  return all.size() - 1;
}

Generation::State& Batch::State::at(std::size_t number) const {
  const std::lock_guard lock(mutex);
  if (number >= all.size())
    raise(fail("there is no sequence {}: {} were added", number, all.size()), method,
          model->h.label);
  return *all[number];
}

void Batch::State::keep_piece(const Entry& e) {
  Generation::State& s = *e.sequence;
  if (s.piece.empty()) return;
  s.text += s.piece;
  pieces.emplace_back(e.number, std::exchange(s.piece, {}));
}

/// Its cache is for others, if it is one of the batch.
void Batch::State::leave(Generation::State& s) {
  if (s.cache && std::ranges::find(own, s.cache) != own.end()) free.push_back(s.cache);
  s.cache.reset();
  s.logits = {};
}

void Batch::State::drop(const Entry& e) {
  e.sequence->report.finishReason = FinishReason::canceled;
  e.sequence->finish();
  keep_piece(e);
}

void Batch::State::remove_ended() {
  const auto ended = [](const Entry& e) { return e.sequence->ended(); };
  for (const Entry& e : running)
    if (ended(e)) leave(*e.sequence);
  if (std::erase_if(running, ended) > 0) joined.reset();
}

void Batch::State::cancel_asked() {
  std::vector<std::size_t> numbers;
  {
    const std::lock_guard lock(mutex);
    numbers.swap(canceled);
    for (const std::size_t n : numbers)
      if (std::erase(waiting, n) > 0) all[n]->report.finishReason = FinishReason::canceled;
  }
  for (const Entry& e : running)
    if (e.sequence->options.cancel.stop_requested() ||
        std::ranges::find(numbers, e.number) != numbers.end())
      drop(e);
  remove_ended();
}

/// Reads the prompt that waits for the longest time, if there is room.
bool Batch::State::begin_one(const std::stop_token& stop) {
  if (running.size() >= options.sequences) return false;
  Entry e;
  {
    const std::lock_guard lock(mutex);
    if (waiting.empty()) return false;
    e = {waiting.front(), all[waiting.front()]};
    waiting.pop_front();
  }
  Generation::State& s = *e.sequence;
  if (s.options.cancel.stop_requested()) {
    drop(e);
    return true;
  }
  try {
    if (!s.cache) {
      if (free.empty()) {
        own.push_back(make_cache(model));
        free.push_back(own.back());
      }
      s.cache = std::move(free.back());
      free.pop_back();
      s.cache->trim(0);
      s.changes = s.cache->changes;
    }
    s.check_cache();
    s.begin(stop);
    s.take(s.logits);
  } catch (...) {
    if (stop.stop_requested()) {  // once more, later
      leave(s);
      s.started = false;
      const std::lock_guard lock(mutex);
      waiting.push_front(e.number);
      throw;
    }
    drop(e);
    leave(s);
    throw;
  }
  keep_piece(e);
  running.push_back(std::move(e));
  joined.reset();
  return true;
}

/// A sequence that is alone has another one beside it, for products of one row have other kernels,
/// whose sums are in another order.
void Batch::State::join(const std::vector<Entry>& now, const std::stop_token& stop) {
  std::vector<CacheState*> caches;
  for (const Entry& e : now) caches.push_back(e.sequence->cache.get());
  if (now.size() == 1) {
    if (!filler) filler = make_cache(model);
    if (filler->size() == 0) {
      const Token any = 0;
      std::vector<float> unused(model->info.vocabulary);
      lm::evaluate(*filler, {&any, 1}, unused, 1, stop);
    }
    caches.push_back(filler.get());
  }
  joined.emplace(std::move(caches));
}

/// The logits of the next token of all of them.
void Batch::State::evaluate(std::vector<Entry>& now, const std::stop_token& stop) {
  const std::size_t width = model->info.vocabulary;
  std::vector<Token> tokens;
  for (const Entry& e : now) tokens.push_back(e.sequence->tokens.back());
  logits.resize(tokens.size() * width);
  if (model->joins) try {
      if (!joined) join(now, stop);
      tokens.resize(joined->caches().size());
      logits.resize(tokens.size() * width);
      joined->evaluate(tokens, logits, stop);
      if (tokens.size() > now.size()) filler->trim(1);
      return;
    } catch (const Error& e) {
      if (e.name() != ErrorName::NotSupportedError) throw;
    }
  // Without the kernels or the graph for that, one after the other.
  std::size_t done = 0;
  try {
    for (; done < now.size(); ++done)
      lm::evaluate(*now[done].sequence->cache, {&tokens[done], 1},
                   std::span(logits).subspan(done * width, width), 1, stop);
  } catch (...) {  // all are as they were
    for (std::size_t i = 0; i < done; ++i) {
      CacheState& cache = *now[i].sequence->cache;
      cache.trim(cache.size() - 1);
    }
    throw;
  }
}

void Batch::State::step(const std::stop_token& stop) {
  cancel_asked();
  while (begin_one(stop)) {
    remove_ended();
    if (!pieces.empty() && running.size() >= options.sequences) break;
  }
  std::exception_ptr failure;
  for (Entry& e : running) {
    try {
      e.sequence->check_cache();
    } catch (...) {
      failure = std::current_exception();
      drop(e);
      continue;
    }
    if (e.sequence->is_full()) keep_piece(e);
  }
  remove_ended();
  if (failure) std::rethrow_exception(failure);
  if (running.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  const auto note_changes = [&] {
    for (const Entry& e : running) e.sequence->changes = e.sequence->cache->changes;
  };
  try {
    evaluate(running, stop);
  } catch (...) {
    note_changes();
    throw;
  }
  note_changes();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::size_t width = model->info.vocabulary;
  for (std::size_t i = 0; i < running.size(); ++i) {
    Generation::State& s = *running[i].sequence;
    s.report.seconds += seconds;
    try {
      s.take(std::span(logits).subspan(i * width, width));
      keep_piece(running[i]);
    } catch (...) {
      failure = std::current_exception();
      drop(running[i]);
    }
  }
  remove_ended();
  if (failure) std::rethrow_exception(failure);
}

std::optional<Batch::Piece> Batch::State::next(const std::stop_token& stop) {
  for (;;) {
    if (!pieces.empty()) {
      const std::size_t number = pieces.front().first;
      piece = std::move(pieces.front().second);
      pieces.pop_front();
      return Piece{number, piece};
    }
    if (running.empty()) {
      const std::lock_guard lock(mutex);
      if (waiting.empty()) return std::nullopt;
    }
    step(stop);
  }
}

std::size_t Batch::add(std::vector<Token> prompt, const GenerateOptions& options) {
  return state_->add(
      std::make_shared<Generation::State>(state_->model, nullptr, std::move(prompt), options));
}
std::size_t Batch::add(std::string_view prompt, const GenerateOptions& options) {
  return add(Model(state_->model).tokenizer().encode(prompt), options);
}
std::size_t Batch::add(Cache cache, std::vector<Token> prompt, const GenerateOptions& options) {
  if (cache.state_->model != state_->model)
    raise(fail("the cache is of another model"), method, state_->model->h.label);
  return state_->add(std::make_shared<Generation::State>(state_->model, std::move(cache.state_),
                                                         std::move(prompt), options));
}
void Batch::cancel(std::size_t sequence) {
  const std::lock_guard lock(state_->mutex);
  if (sequence < state_->all.size()) state_->canceled.push_back(sequence);
}

std::optional<Batch::Piece> Batch::next(std::stop_token stop) { return state_->next(stop); }
void Batch::run() {
  while (next()) {}
}
std::size_t Batch::size() const {
  const std::lock_guard lock(state_->mutex);
  return state_->all.size();
}
std::size_t Batch::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->waiting.size();
}
std::size_t Batch::running() const { return state_->running.size(); }
const std::string& Batch::text(std::size_t sequence) const { return state_->at(sequence).text; }
std::span<const Token> Batch::tokens(std::size_t sequence) const {
  return state_->at(sequence).tokens;
}
std::span<const Sample> Batch::samples(std::size_t sequence) const {
  return state_->at(sequence).samples;
}
const GenerationReport& Batch::report(std::size_t sequence) const {
  return state_->at(sequence).report;
}
void Batch::forget(std::size_t sequence) {
  Generation::State& s = state_->at(sequence);
  if (!s.ended()) return;
  s.text = {};
  s.tokens = {};
  s.samples = {};
  s.prompt = {};
}

Batch Model::batch(const BatchOptions& options) const {
  contents_->require_generation("batch");
  if (options.sequences < 1 || options.sequences > 1024)
    raise(fail("sequences ({}) is not 1 to 1024", options.sequences), "batch", contents_->h.label);
  return Batch(std::make_shared<Batch::State>(contents_, options));
}

std::vector<GeneratedText> Model::generate_all(const std::vector<std::string>& prompts,
                                               const GenerateOptions& options,
                                               const BatchOptions& batch_options) const {
  Batch all = batch(batch_options);
  for (const std::string& prompt : prompts) all.add(prompt, options);
  while (all.next(options.cancel)) {}
  std::vector<GeneratedText> texts;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const auto tokens = all.tokens(i);
    texts.push_back({all.text(i), {tokens.begin(), tokens.end()}, all.report(i)});
  }
  return texts;
}

}  // namespace webnn::inline v0_1::lm
