#include "tools/webnn/model/measure.h"

#include <sys/resource.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>

#include "tools/webnn/common/exit.h"
#include "tools/webnn/common/interrupt.h"
#include "tools/webnn/common/progress.h"

namespace webnn::inline v0_1::tool {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The times of one caller; `progress` is null for all but one.
std::vector<double> times_of(Runner& runner, const MeasureOptions& o, Progress* progress) {
  constexpr std::size_t least = 5, most = 10'000'000;
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < most) {
    const double spent = seconds_since(start);
    if (o.runs ? times.size() >= static_cast<std::size_t>(o.runs)
               : spent >= o.seconds && times.size() >= least)
      break;
    if (Interrupt::came() && !times.empty()) break;
    if (progress)
      progress->at(o.runs ? static_cast<double>(times.size()) / o.runs : spent / o.seconds);
    times.push_back(runner.timed_run());
  }
  return times;
}

/// Threads that begin together, or not at all.
class Callers {
 public:
  /// Starts that many, which call work(i) from 1. Throws CommandError when one cannot be started.
  template <class Work> Callers(int count, Work work) {
    try {
      for (int i = 1; i <= count; ++i)
        threads_.emplace_back([this, work, i] {
          state_.wait(State::starting);
          if (state_ == State::begun) work(static_cast<std::size_t>(i));
        });
    } catch (const std::system_error& e) {
      end(State::given_up);
      throw CommandError(fmt::format("thread {} of {} callers cannot be started: {}",
                                     threads_.size() + 2, count + 1, e.code().message()));
    } catch (...) {
      end(State::given_up);
      throw;
    }
    state_ = State::begun;
    state_.notify_all();
  }
  Callers(const Callers&) = delete;
  ~Callers() { end(State::begun); }

 private:
  enum class State { starting, begun, given_up };
  void end(State state) {
    state_ = state;
    state_.notify_all();
    for (std::thread& t : threads_)
      if (t.joinable()) t.join();
  }

  std::atomic<State> state_{State::starting};
  std::vector<std::thread> threads_{};
};

std::vector<double> times_of_all(const MLContext& context, const MLGraph& graph, const Feeds& feeds,
                                 Runner& first, const MeasureOptions& o, Progress& progress) {
  std::vector<std::vector<double>> times(static_cast<std::size_t>(o.callers));
  std::vector<std::exception_ptr> failures(times.size());
  {
    const Callers others(o.callers - 1, [&](std::size_t i) {
      try {
        Runner mine(context, graph, feeds);
        times[i] = times_of(mine, o, nullptr);
      } catch (...) { failures[i] = std::current_exception(); }
    });
    try {
      times[0] = times_of(first, o, &progress);
    } catch (...) { failures[0] = std::current_exception(); }
  }
  for (const std::exception_ptr& e : failures)
    if (e) std::rethrow_exception(e);
  std::vector<double> all;
  for (const auto& t : times) all.insert(all.end(), t.begin(), t.end());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

Timings measure(const MLContext& context, const MLGraph& graph, const Feeds& feeds, Runner& runner,
                const MeasureOptions& o) {
  const Interrupt interrupt;
  Timings t;
  t.first = runner.timed_run();
  Progress progress("measuring", o.progress);
  auto start = Clock::now();
  do runner.run();
  while (seconds_since(start) < o.warmup && !Interrupt::came());
  start = Clock::now();
  t.times = times_of_all(context, graph, feeds, runner, o, progress);
  t.seconds = seconds_since(start);
  t.interrupted = Interrupt::came();
  return t;
}

double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

double mean(const std::vector<double>& all) {
  double sum = 0;
  for (double v : all) sum += v;
  return sum / static_cast<double>(all.size());
}

double peak_memory() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);  // Linux counts kibibytes
}

}  // namespace webnn::inline v0_1::tool
