// Runs a plan: many threads at the same time, each with the memory of a run of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

#include "src/kernels/common/aligned_bytes.h"
#include "src/runtime/overlap.h"
#include "src/runtime/plan.h"
#include "src/runtime/run_memory.h"
#include "src/runtime/trace.h"
#include "webnn/thread_pool.h"
#include "webnn/tracing.h"

namespace webnn::inline v0_1 {

struct ControlRun;
class Executor;
class Team;

/// When a run is to end before its last step.
struct StopCondition {
  std::stop_token token{};
  const std::atomic<bool>* stopping = nullptr;  ///< the context is destroyed
  const char* method = "compute";               ///< for the message

  bool met() const { return token.stop_requested() || (stopping && stopping->load()); }
};

/// The memory of one run: intermediate results, scratch, and how far the run is.
class Run {
 public:
  /// With memory of its own, or without: then bind() comes before each use.
  explicit Run(const Executor& executor, bool own_memory = true);
  Run(const Run&) = delete;

  /// The memory of Executor::run_bytes() that the next run uses.
  void bind(std::byte* memory);
  const std::byte* bound() const { return memory_; }

  // For the caller: its memory in the graph's order, and memory for checks.
  std::vector<const std::byte*> in{};
  std::vector<std::byte*> out{};
  std::vector<MemoryRange> ranges{};
  bool alone = false;  // on the caller's thread: other callers have all the others

 private:
  friend class Executor;
  struct alignas(64) Counter {
    std::atomic<std::int64_t> value{0};
  };
  struct Work {
    const Candidate* kernel = nullptr;
    std::vector<const std::byte*> inputs, weights;
    std::vector<std::byte*> outputs;
    std::size_t pitch = 0;
    int chunk = 1;
    int shares = 1;  // parts of the tiles, one for each worker that can have a tile
    std::unique_ptr<Counter[]> next;        // for each share: its tiles begun, in all rounds
    Counter exhausted;                      // shares of which all tiles are begun, in all rounds
    Counter done;                           // tiles of all shares, in all rounds
    std::shared_ptr<ControlRun> control{};  // of a step that runs subgraphs

    std::int64_t all() const { return std::int64_t{kernel->tiles} * kernel->rounds; }
    bool finished() const { return done.value.load() >= all(); }
  };
  std::byte* resolve(const Location& location) const;

  const Executor& executor_;
  std::vector<Work> work_;
  std::vector<AlignedBytes> discarded_;  // for outputs that the caller leaves out, at first need
  std::vector<double> ends_;
  bool timing_ = false, filling_ = false, traced_ = false;
  Trace* trace_ = nullptr;
  const StopCondition* stop_ = nullptr;
  std::atomic<bool> failed_{false};
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::size_t failed_step_ = 0;
  AlignedBytes own_;
  std::byte *memory_ = nullptr, *scratch_ = nullptr, *shared_ = nullptr;
};

/// What an executor has from its context.
struct ExecutorOptions {
  MemorySource memory{};
  std::function<void(const TraceEvent&)> trace{};
};

class Executor {
 public:
  /// The graph and the plan live longer than the executor.
  Executor(const Graph& graph, const Plan& plan, ThreadPool& pool, ExecutorOptions options = {});

  /// Inputs and outputs in the graph's order; an output may be null: then it is computed and
  /// discarded. Throws OperationError when a kernel throws, AbortError when its token asks for it,
  /// InvalidStateError when the context is destroyed.
  void run(Run& run, std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs,
           const StopCondition& stop) const;
  /// One run; the microseconds of each step.
  std::vector<double> timed_run(Run& run, std::span<const std::byte* const> inputs,
                                std::span<std::byte* const> outputs,
                                const StopCondition& stop) const;
  /// The median microseconds of each step over so many runs.
  std::vector<double> profile(Run& run, std::span<const std::byte* const> inputs,
                              std::span<std::byte* const> outputs, int runs,
                              const StopCondition& stop) const;

  int workers() const { return workers_; }
  const MemorySource& memory() const { return options_.memory; }
  RunBytes run_bytes() const { return run_bytes_; }
  static RunBytes run_bytes(const Plan& plan, const ThreadPool& pool);
  /// The part of it that is not the arena.
  static std::size_t scratch_bytes(const Plan& plan, const ThreadPool& pool);

 private:
  friend class Run;
  using Work = Run::Work;
  /// A pointer that changes from run to run.
  struct Patch {
    std::size_t work, slot, index, offset;
    bool is_input;     // an input of the graph, else an output
    bool is_argument;  // an argument of the kernel, else a result
  };
  /// The run that uses a kernel which serves one at a time.
  struct alignas(64) Owner {
    mutable std::atomic<const Run*> value{nullptr};
  };

  void find_patches();
  void patch(Run& run, std::span<const std::byte* const> inputs,
             std::span<std::byte* const> outputs) const;
  std::byte* output_at(Run& run, std::size_t i, std::span<std::byte* const> outputs) const;
  /// Fills all that a run will write, as far as it is known before the first step.
  void fill_run(Run& run, std::span<const std::byte* const> inputs,
                std::span<std::byte* const> outputs) const;
  /// Fills the results of a step that are not in the memory of its operands.
  void fill_results(const Run& run, std::size_t step) const;
  bool enter(const Run& run, std::size_t step) const;
  void leave(std::size_t step) const;
  /// Until the step is done; false where the worker is to leave the region before, which it may
  /// not do while others wait for what it does next.
  bool work_on(Run& run, std::size_t step, int worker, bool may_leave = true) const;
  void work_on(Run& run, std::size_t step, int round, int worker) const;
  void work_on_all(Run& run, int worker) const;
  void begin(Run& run, std::span<const std::byte* const> inputs,
             std::span<std::byte* const> outputs, const StopCondition& stop) const;
  void restart(Run& run) const;
  void copy_outputs(Run& run, std::span<const std::byte* const> inputs,
                    std::span<std::byte* const> outputs) const;
  void note_failure(Run& run, std::size_t step) const;

  // Steps that run subgraphs: executor_control.cpp. One worker leads.
  bool work_on_control(Run& run, std::size_t step, int worker, bool may_leave) const;
  bool follow(Run& run, std::size_t step, int worker, bool may_leave) const;
  /// `together`: other workers may take part.
  void lead(Run& run, std::size_t step, int worker, bool together) const;
  void run_choice(Run& run, std::size_t step, int worker, bool together) const;
  void run_loop(Run& run, std::size_t step, int worker, bool together) const;
  /// Whether it ran to its end.
  bool run_subgraph(Run& run, std::size_t step, std::size_t part, int worker, bool together) const;
  bool is_stopped(Run& run) const;

  void run_tiles(Run& run, std::size_t step, Range range, int worker) const;
  /// Tells those who listen that a worker has run tiles since then.
  void trace(const Run& run, std::size_t step, Range tiles, int worker, double begin_us) const;
  void run_alone(Run& run) const;
  void run_parallel(Run& run) const;
  [[noreturn]] void raise_failure(Run& run) const;

  const Graph& graph_;
  const Plan& plan_;
  ThreadPool& pool_;
  const ExecutorOptions options_;
  const std::vector<StepNames> names_;  // by step, where there is ExecutorOptions::trace
  Team* const team_;                    // the pool, unless it is the caller's own
  const int workers_;
  std::vector<Patch> patches_;
  std::unique_ptr<Owner[]> owners_;  // by step, if any kernel serves one run at a time
  mutable std::once_flag traced_;
  mutable std::size_t first_traced_ = 0;  // the number of step 0 in the trace
  bool parallel_ = false;
  std::size_t scratch_each_ = 0;
  RunBytes run_bytes_;
};

}  // namespace webnn::inline v0_1
