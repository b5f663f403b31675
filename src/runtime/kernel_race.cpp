#include "src/runtime/kernel_race.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "src/kernels/common/sizes.h"
#include "webnn/error.h"

namespace webnn {
namespace {

constexpr double limit_us = 30'000;      // of all runs of a chain together, but for
constexpr int least_runs = 2;            // of each kernel,
constexpr int most_runs = 50;            // and for short ones
constexpr int runs_before_dropping = 5;  // what is slower than the best by this factor:
constexpr double hopeless = 1.5;
constexpr double far_too_slow = 4;  // for a whole run

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
  else if (bits_of(type) == 64) each([](std::uint32_t r) { return std::uint64_t{r & 1}; });
  else if (bits_of(type) == 32) each([](std::uint32_t r) { return std::uint32_t{r & 1}; });
  else each([](std::uint32_t r) { return static_cast<std::uint8_t>(r); });
}

/// The operands of a chain in memory of their own, and plans whose steps are its kernels.
class Course {
 public:
  Course(Chain chain, const Graph& graph, ThreadPool& pool, const StopCondition& stop)
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
    const Loan loan(*this, choices, some);
    const Executor executor(graph_, loan.plan, pool_);
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
  struct Loan {
    Loan(const Course& course, std::vector<Choice>& choices, const std::vector<std::size_t>& some)
        : choices_(choices), some_(some) {
      add(course, {{course.chain_.begin(), course.chain_.end()},
                   Kernel{.name = "start", .run = [](Range, const Buffers&, std::byte*) {}},
                   "",
                   {}});
      for (std::size_t i : some) add(course, std::move(choices[i]));
    }
    Loan(const Loan&) = delete;
    ~Loan() {
      for (std::size_t i = 0; i < some_.size(); ++i)
        choices_[some_[i]] = std::move(plan.steps[i + 1].choice);
    }
    void add(const Course& course, Choice choice) {
      plan.scratch = std::max(plan.scratch, choice.kernel.scratch);
      plan.shared = std::max(plan.shared, choice.kernel.shared);
      plan.steps.push_back({std::move(choice), course.inputs_, course.outputs_});
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
  explicit OneTile(Choice& c) : choice_(c), tiles_(c.kernel.tiles), rounds_(c.kernel.rounds) {
    c.kernel.tiles = c.kernel.rounds = 1;
  }
  OneTile(const OneTile&) = delete;
  ~OneTile() {
    choice_.kernel.tiles = tiles_;
    choice_.kernel.rounds = rounds_;
  }
  /// Of all tiles.
  double estimate(double us, int workers) const {
    return us * rounds_ * std::ceil(static_cast<double>(tiles_) / std::min(tiles_, workers));
  }

 private:
  Choice& choice_;
  const int tiles_, rounds_;
};

}  // namespace

std::vector<std::optional<std::uint64_t>> race(std::vector<Choice>& choices, const Graph& graph,
                                               ThreadPool& pool, const StopCondition& stop) {
  const std::vector<Node> chain = choices.front().chain;
  Course course(chain, graph, pool, stop);
  std::vector<double> best(choices.size(), HUGE_VAL);
  std::vector<bool> fails(choices.size());
  const auto twice = [&](std::size_t i) {
    double least = HUGE_VAL;
    int runs = 0;
    try {
      course.run(choices, {i}, [&](std::span<const double> us) {
        least = std::min(least, us[0]);
        return ++runs < 2;
      });
    } catch (const OperationError&) { fails[i] = true; }
    return least;
  };

  std::vector<std::size_t> racing;
  const double first = twice(0);
  if (!fails[0]) racing.push_back(0);
  for (std::size_t i = 1; i < choices.size(); ++i) {
    const OneTile tile(choices[i]);
    const double us = tile.estimate(twice(i), course.workers());
    if (fails[i]) continue;
    if (us > far_too_slow * first) best[i] = us;
    else racing.push_back(i);
  }

  if (racing.size() == 1) best[racing[0]] = first;

  double spent = 0;
  int runs = 0;
  for (bool again = racing.size() > 1; again;) {
    again = false;
    try {
      course.run(choices, racing, [&](std::span<const double> us) {
        double least = HUGE_VAL;
        for (std::size_t k = 0; k < racing.size(); ++k) {
          best[racing[k]] = std::min(best[racing[k]], us[k]);
          least = std::min(least, best[racing[k]]);
          spent += us[k];
        }
        if (++runs >= least_runs && (spent > limit_us || runs >= most_runs)) return false;
        again = runs == runs_before_dropping &&
                std::any_of(racing.begin(), racing.end(),
                            [&](std::size_t i) { return best[i] > hopeless * least; });
        return !again;
      });
    } catch (const OperationError&) {
      return std::vector<std::optional<std::uint64_t>>(choices.size());
    }
    const double least = *std::min_element(best.begin(), best.end());
    std::erase_if(racing, [&](std::size_t i) { return best[i] > hopeless * least; });
    again = again && racing.size() > 1;
  }

  std::vector<std::optional<std::uint64_t>> nanoseconds(choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (best[i] < HUGE_VAL)
      nanoseconds[i] = static_cast<std::uint64_t>(std::clamp(best[i] * 1e3, 1.0, 3.6e12));
  return nanoseconds;
}

}  // namespace webnn
