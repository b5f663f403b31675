#include "src/runtime/measure_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "src/kernels/common/sizes.h"
#include "webnn/error.h"

namespace webnn::inline v0_1 {
namespace {

constexpr double limit_us = 30'000;      // for all runs of a chain together, but there are
constexpr int min_runs = 4;              // runs of each kernel,
constexpr int max_runs = 50;             // and for short ones
constexpr int runs_before_dropping = 3;  // what is slower than the best by this factor:
constexpr double drop_factor = 1.5;
constexpr double skip_factor = 4;  // for a whole run

/// Finite values that no operator has a special case for: floats from 0.5 to 1.5, indices that
/// every tensor has, any bytes.
void fill(std::span<std::byte> bytes, MLOperandDataType type) {
  std::uint32_t state = 12345;
  const auto next = [&] { return (state = state * 1664525 + 1013904223) >> 8; };
  const auto each = [&](auto value_of) {
    using T = decltype(value_of(0u));
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
      const T v = value_of(next());
      std::memcpy(bytes.data() + at, &v, sizeof v);
    }
  };
  if (type == float32)
    each(
        [](std::uint32_t r) { return 0.5f + static_cast<float>(r) / static_cast<float>(1 << 24); });
  else if (type == float16)
    each([](std::uint32_t r) { return static_cast<std::uint16_t>(0x3800 | (r & 0x3ff)); });
  else if (type == bfloat16)
    each([](std::uint32_t r) { return static_cast<std::uint16_t>(0x3f00 | (r & 0x7f)); });
  else if (bits_of(type) == 64) each([](std::uint32_t r) { return std::uint64_t{r & 1}; });
  else if (bits_of(type) == 32) each([](std::uint32_t r) { return std::uint32_t{r & 1}; });
  else each([](std::uint32_t r) { return static_cast<std::uint8_t>(r); });
}

/// The operands of a chain in separate memory, and plans whose steps are its kernels.
class ChainRunner {
 public:
  ChainRunner(Chain chain, const Graph& graph, ThreadPool& pool, const StopCondition& stop)
      : chain_(chain), graph_(graph), pool_(pool), stop_(stop) {
    std::size_t size = 0;
    const auto place = [&](const MLOperand& x) {
      const std::size_t at = size;
      size = round_up(at + byte_length(x.descriptor()), arena_alignment);
      return at;
    };
    std::vector<std::pair<std::size_t, MLOperand>> filled;
    std::vector<std::size_t> in, out;
    std::unordered_map<const OperandRecord*, std::size_t> known;
    for (const MLOperand& x : inputs_of(chain)) {
      if (x.constant()) {
        inputs_.push_back({Location::Kind::constant, x.record().id, 0});
        continue;
      }
      const auto [found, added] = known.try_emplace(&x.record(), in.size());
      inputs_.push_back({Location::Kind::input, found->second, 0});
      if (!added) continue;
      in.push_back(place(x));
      filled.emplace_back(in.back(), x);
    }
    for (const MLOperand& y : chain.back().outputs()) {
      outputs_.push_back({Location::Kind::output, out.size(), 0});
      out.push_back(place(y));
    }
    memory_ = aligned_bytes(size);
    for (const auto& [at, x] : filled)
      fill({memory_.get() + at, byte_length(x.descriptor())}, x.dataType());
    for (std::size_t at : in) input_data_.push_back(memory_.get() + at);
    for (std::size_t at : out) output_data_.push_back(memory_.get() + at);
  }

  /// Runs some of the choices in turns, in one parallel region as a graph does, and gives
  /// `us(microseconds of each)` after each turn, until it returns false.
  template <class F>
  void run(std::vector<Choice>& choices, const std::vector<std::size_t>& some, F us) {
    const CandidatePlan candidate(*this, choices, some);
    const Executor executor(graph_, candidate.plan, pool_);
    Run run(executor);
    std::vector<double> times;
    do {
      times = executor.timed_run(run, input_data_, output_data_, stop_);
      times.erase(times.begin());
    } while (us(times));
  }

  int workers() const { return std::max(1, pool_.threads()); }

 private:
  /// A plan that has choices as long as it lives. Its first step does nothing: the threads come to
  /// work in it.
  struct CandidatePlan {
    CandidatePlan(const ChainRunner& runner, std::vector<Choice>& choices,
                  const std::vector<std::size_t>& some)
        : choices_(choices), some_(some) {
      add(runner, {{runner.chain_.begin(), runner.chain_.end()},
                   Candidate{.name = "start", .run = [](Range, const Buffers&, std::byte*) {}},
                   "",
                   {}});
      for (std::size_t i : some) add(runner, std::move(choices[i]));
    }
    CandidatePlan(const CandidatePlan&) = delete;
    ~CandidatePlan() {
      for (std::size_t i = 0; i < some_.size(); ++i)
        choices_[some_[i]] = std::move(plan.steps[i + 1].choice);
    }
    void add(const ChainRunner& runner, Choice choice) {
      plan.scratch = std::max(plan.scratch, choice.kernel->scratch);
      plan.shared = std::max(plan.shared, choice.kernel->shared);
      plan.steps.push_back({std::move(choice), runner.inputs_, runner.outputs_});
    }

    Plan plan{};

   private:
    std::vector<Choice>& choices_;
    const std::vector<std::size_t>& some_;
  };

  const Chain chain_;
  const Graph& graph_;
  ThreadPool& pool_;
  const StopCondition& stop_;
  std::vector<Location> inputs_{}, outputs_{};
  AlignedBytes memory_{};
  std::vector<const std::byte*> input_data_{};
  std::vector<std::byte*> output_data_{};
};

/// One tile of a kernel in place of all of it.
class OneTile {
 public:
  explicit OneTile(Choice& c) : choice_(c), tiles_(c.kernel->tiles), rounds_(c.kernel->rounds) {
    c.kernel.own().tiles = c.kernel.own().rounds = 1;
  }
  OneTile(const OneTile&) = delete;
  ~OneTile() {
    choice_.kernel.own().tiles = tiles_;
    choice_.kernel.own().rounds = rounds_;
  }
  /// The time of all tiles.
  double estimate(double us, int workers) const {
    return us * rounds_ * std::ceil(static_cast<double>(tiles_) / std::min(tiles_, workers));
  }

 private:
  Choice& choice_;
  const int tiles_, rounds_;
};

/// Microseconds of the runs of a kernel.
class Times {
 public:
  void add(double us) {
    if (us < min_) second_min_ = std::exchange(min_, us);
    else second_min_ = std::min(second_min_, us);
  }
  double min() const { return min_; }
  /// So that one lucky run is not enough.
  double second_min() const { return second_min_ < HUGE_VAL ? second_min_ : min_; }

 private:
  double min_ = HUGE_VAL, second_min_ = HUGE_VAL;
};

/// Measures some of the choices in turns until it is known which are slow, or time is up.
class Comparison {
 public:
  Comparison(ChainRunner& runner, std::vector<Choice>& choices, std::vector<Times>& times,
             std::vector<std::size_t> candidates)
      : runner_(runner), choices_(choices), times_(times), candidates_(std::move(candidates)) {}

  void run() {
    while (candidates_.size() > 1 && !over_) {
      runner_.run(choices_, candidates_, [&](std::span<const double> us) { return goes_on(us); });
      const double best = min();
      std::erase_if(candidates_,
                    [&](std::size_t i) { return times_[i].min() > drop_factor * best; });
    }
  }

 private:
  bool goes_on(std::span<const double> us) {
    for (std::size_t k = 0; k < us.size(); ++k) {
      times_[candidates_[k]].add(us[k]);
      spent_ += us[k];
    }
    over_ = ++runs_ >= min_runs && (spent_ > limit_us || runs_ >= max_runs);
    if (over_ || runs_ != runs_before_dropping) return !over_;
    const double best = min();
    return std::none_of(candidates_.begin(), candidates_.end(),
                        [&](std::size_t i) { return times_[i].min() > drop_factor * best; });
  }
  double min() const {
    double best = HUGE_VAL;
    for (std::size_t i : candidates_) best = std::min(best, times_[i].min());
    return best;
  }

  ChainRunner& runner_;
  std::vector<Choice>& choices_;
  std::vector<Times>& times_;
  std::vector<std::size_t> candidates_;
  double spent_ = 0;
  int runs_ = 0;
  bool over_ = false;
};

}  // namespace

std::vector<std::optional<std::uint64_t>> measure_kernels(std::vector<Choice>& choices,
                                                          const Graph& graph, ThreadPool& pool,
                                                          const StopCondition& stop) {
  const std::vector<Node> chain = choices.front().chain;
  ChainRunner runner(chain, graph, pool, stop);
  std::vector<Times> times(choices.size());
  std::vector<std::optional<std::uint64_t>> nanoseconds(choices.size());
  /// The less of two runs; none of a kernel that throws.
  const auto twice = [&](std::size_t i) -> std::optional<double> {
    Times two;
    int runs = 0;
    try {
      runner.run(choices, {i}, [&](std::span<const double> us) {
        two.add(us[0]);
        return ++runs < 2;
      });
    } catch (const OperationError&) { return std::nullopt; }
    return two.min();
  };

  std::vector<std::size_t> candidates;
  const std::optional<double> first = twice(0);
  if (first) candidates.push_back(0);
  for (std::size_t i = 1; i < choices.size(); ++i) {
    const OneTile tile(choices[i]);
    const std::optional<double> one = twice(i);
    if (!one) continue;
    const double us = tile.estimate(*one, runner.workers());
    if (first && us > skip_factor * *first) times[i].add(us);
    else candidates.push_back(i);
  }
  if (candidates.size() == 1 && first) times[0].add(*first);
  try {
    Comparison(runner, choices, times, std::move(candidates)).run();
  } catch (const OperationError&) { return nanoseconds; }

  for (std::size_t i = 0; i < choices.size(); ++i) {
    const double us = i == 0 ? times[i].min() : times[i].second_min();
    if (us < HUGE_VAL)
      nanoseconds[i] = static_cast<std::uint64_t>(std::clamp(us * 1e3, 1.0, 3.6e12));
  }
  return nanoseconds;
}

}  // namespace webnn::inline v0_1
