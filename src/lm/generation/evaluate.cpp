// Runs of the graph on tokens.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/lm/generation/contents.h"
#include "src/lm/network/network.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::lm {
namespace {

constexpr float unseen = -1e30f;

/// The inputs and outputs of one run.
class Run {
 public:
  /// `pasts`: how many tokens are in the cache of each sequence; `tokens`: as many of each.
  Run(const ModelContents& m, std::span<const std::uint32_t> pasts, std::span<const Token> tokens)
      : m_(m),
        context_(m.context),
        pasts_(pasts),
        fresh_(static_cast<std::uint32_t>(tokens.size() / pasts.size())),
        count_(static_cast<std::uint32_t>(tokens.size())) {
    const auto sequences = static_cast<std::uint32_t>(pasts.size());
    add(inputs::tokens, int32, {sequences, fresh_}, tokens);
    for (const std::uint32_t past : pasts)
      for (std::uint32_t i = 0; i < fresh_; ++i)
        positions_.push_back(static_cast<std::int32_t>(past + i));
    if (m.has_positions) add(inputs::positions, int32, {count_}, positions_);
    if (m.has_rotary) add_rotation(inputs::cos, inputs::sin, m.h.rotary, m.frequencies);
    if (m.has_local_rotary)
      add_rotation(inputs::local_cos, inputs::local_sin, m.h.localRotary, m.local_frequencies);
    if (m.has_mask) add_mask(inputs::mask, 0);
    if (m.has_local_mask) add_mask(inputs::local_mask, m.h.window);
  }

  void add_states(const std::vector<MLTensor>& states) {
    for (std::size_t i = 0; i < states.size(); ++i) {
      in_.push_back({m_.states[i].input, states[i]});
      out_.push_back({m_.states[i].output, states[i]});
    }
  }
  /// Logits for the last so many of the new tokens.
  void add_rows(std::uint32_t rows) {
    std::vector<std::int32_t> places(rows);
    std::iota(places.begin(), places.end(), static_cast<std::int32_t>(count_ - rows));
    add(inputs::rows, int32, {rows}, places);
    add_output(outputs::logits, {rows, m_.info.vocabulary});
  }
  void add_output(const char* name, Dims shape) {
    result_ = context_.createTensor(
        {.dataType = float32, .shape = std::move(shape), .readable = true, .writable = false});
    out_.push_back({name, result_});
  }
  void dispatch(const std::stop_token& stop) { context_.dispatch(m_.graph, in_, out_, stop); }
  void read(std::span<float> to) { context_.readTensor(result_, to); }

 private:
  MLTensor add(const char* name, MLOperandDataType type, Dims shape) {
    const MLTensor t = context_.createTensor(
        {.dataType = type, .shape = std::move(shape), .readable = false, .writable = true});
    in_.push_back({name, t});
    return t;
  }
  void add(const char* name, MLOperandDataType type, Dims shape, InputView values) {
    context_.writeTensor(add(name, type, std::move(shape)), values);
  }

  void add_rotation(const char* cos, const char* sin, const Rotary& rotary,
                    const std::vector<double>& frequencies) {
    const std::size_t pairs = frequencies.size();
    std::vector<float> c(count_ * pairs), s(c.size());
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t p = 0; p < pairs; ++p) {
        const double angle = positions_[i] * frequencies[p];
        c[i * pairs + p] = static_cast<float>(std::cos(angle) * rotary.magnitude);
        s[i * pairs + p] = static_cast<float>(std::sin(angle) * rotary.magnitude);
      }
    const Dims shape{count_, 1, static_cast<std::uint32_t>(pairs)};
    add(cos, float32, shape, c);
    add(sin, float32, shape, s);
  }

  /// A token sees itself and those before it, the last `window` of them unless that is 0.
  void add_mask(const char* name, std::uint32_t window) {
    const std::uint32_t total = std::ranges::max(pasts_) + fresh_;
    const Dims shape{static_cast<std::uint32_t>(pasts_.size()), 1, 1, fresh_, total};
    const bool sees_all = fresh_ == 1 && (window == 0 || window >= total);
    if (sees_all) {  // a new tensor is zero, and a sequence has its own length
      add(name, float32, shape);
      return;
    }
    std::vector<float> mask(std::size_t{count_} * total);
    float* row = mask.data();
    for (const std::int32_t position : positions_) {
      const std::uint32_t end = static_cast<std::uint32_t>(position) + 1,
                          begin = window != 0 && window < end ? end - window : 0;
      std::fill(row, row + begin, unseen);
      std::fill(row + end, row + total, unseen);
      row += total;
    }
    add(name, float32, shape, mask);
  }

  const ModelContents& m_;
  MLContext context_;
  std::span<const std::uint32_t> pasts_;
  std::uint32_t fresh_, count_;
  std::vector<std::int32_t> positions_{};  // of the tokens
  MLTensor result_{};
  std::vector<NamedTensor> in_{}, out_{};
};

void check_tokens(const ModelContents& m, std::span<const Token> tokens, std::string_view method) {
  if (tokens.empty()) raise(fail("there are no tokens"), method, m.h.label);
  for (const Token t : tokens)
    if (t < 0 || static_cast<std::uint32_t>(t) >= m.info.vocabulary)
      raise(fail("token {} is not below {}", t, m.info.vocabulary), method, m.h.label);
}

}  // namespace

void evaluate(CacheState& cache, std::span<const Token> tokens, std::span<float> results,
              std::uint32_t rows, const std::stop_token& stop) {
  constexpr std::string_view method = "evaluate";
  const ModelContents& m = *cache.model;
  check_tokens(m, tokens, method);
  const std::size_t count = tokens.size(), before = cache.size(), width = m.info.vocabulary;
  if (rows == 0 || rows > count)
    raise(fail("rows ({}) is not from 1 to {}, the number of tokens", rows, count), method,
          m.h.label);
  if (count > m.info.capacity - before)
    raise(fail("{} tokens and the {} in the cache exceed its capacity ({})", count, before,
               m.info.capacity),
          method, m.h.label);
  auto& all = cache.sequence.tokens;
  all.reserve(before + count);
  ++cache.changes;
  try {
    for (std::size_t begin = 0; begin < count;) {
      const std::size_t first = count - rows;
      std::size_t end = std::min(begin + m.options.batch, count);
      if (m.last_row_only) end = std::min(end, std::max(first, begin) + 1);
      const auto past = static_cast<std::uint32_t>(before + begin);
      Run run(m, {&past, 1}, tokens.subspan(begin, end - begin));
      run.add_states(cache.sequence.states);
      const std::size_t wanted = end > first ? end - std::max(begin, first) : 0;
      run.add_rows(static_cast<std::uint32_t>(std::max<std::size_t>(wanted, 1)));
      run.dispatch(stop);
      if (wanted > 0)
        run.read(results.subspan((std::max(begin, first) - first) * width, wanted * width));
      begin = end;
    }
  } catch (...) {
    for (const MLTensor& state : cache.sequence.states)
      resizeState(state, static_cast<std::uint32_t>(before));
    throw;
  }
  all.insert(all.end(), tokens.begin(), tokens.end());
  cache.release_rows();
}

JoinedCaches::JoinedCaches(std::vector<CacheState*> caches) : caches_(std::move(caches)) {
  const ModelContents& m = *caches_.front()->model;
  std::vector<MLTensor> states(caches_.size());
  for (std::size_t i = 0; i < m.states.size(); ++i) {
    for (std::size_t k = 0; k < states.size(); ++k) states[k] = caches_[k]->sequence.states[i];
    states_.push_back(joinStates(states));
  }
}

void JoinedCaches::evaluate(std::span<const Token> tokens, std::span<float> results,
                            const std::stop_token& stop) {
  const ModelContents& m = *caches_.front()->model;
  check_tokens(m, tokens, "evaluate");
  std::vector<std::uint32_t> before;
  for (CacheState* c : caches_) {
    before.push_back(c->size());
    c->sequence.tokens.reserve(c->size() + std::size_t{1});
    ++c->changes;
  }
  try {
    Run run(m, before, tokens);
    run.add_states(states_);
    run.add_rows(static_cast<std::uint32_t>(tokens.size()));
    run.dispatch(stop);
    run.read(results);
  } catch (...) {
    for (std::size_t i = 0; i < caches_.size(); ++i)
      for (const MLTensor& state : caches_[i]->sequence.states) resizeState(state, before[i]);
    throw;
  }
  for (std::size_t i = 0; i < caches_.size(); ++i) {
    caches_[i]->sequence.tokens.push_back(tokens[i]);
    caches_[i]->release_rows();
  }
}

std::vector<float> embedding_of(const ModelContents& m, std::span<const Token> tokens) {
  check_tokens(m, tokens, "embed");
  if (tokens.size() > m.h.contextLength)
    raise(fail("{} tokens are beyond the context of the model ({})", tokens.size(),
               m.h.contextLength),
          "embed", m.h.label);
  constexpr std::uint32_t past = 0;
  Run run(m, {&past, 1}, tokens);
  run.add_output(outputs::embedding, {m.h.width});
  run.dispatch({});
  std::vector<float> values(m.h.width);
  run.read(values);
  if (!m.h.normalizes) return values;
  double sum = 0;
  for (const float v : values) sum += double{v} * double{v};
  if (sum > 0)
    for (float& v : values) v = static_cast<float>(v / std::sqrt(sum));
  return values;
}

}  // namespace webnn::inline v0_1::lm
