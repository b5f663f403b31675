// Runs a plan. Everything is allocated when it is made.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "src/kernels/common/aligned_bytes.h"
#include "src/runtime/plan.h"
#include "webnn/thread_pool.h"

namespace webnn {

/// One run at a time.
class Executor {
 public:
  /// The graph and the plan live longer than the executor.
  Executor(const Graph& graph, const Plan& plan, ThreadPool& pool);

  /// Inputs and outputs in the graph's order; an output may be null: then it is computed and
  /// discarded. Throws OperationError when a kernel throws.
  void run(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs);
  /// The median microseconds of each step over so many runs.
  std::vector<double> profile(std::span<const std::byte* const> inputs,
                              std::span<std::byte* const> outputs, int runs);

  std::size_t bytes() const { return bytes_; }  ///< of the arena and the scratch
  /// The part of it that is not the arena.
  static std::size_t scratch_bytes(const Plan& plan, const ThreadPool& pool);

 private:
  struct alignas(64) Counter {
    std::atomic<std::int64_t> value{0};
  };
  struct Work {
    const Kernel* kernel = nullptr;
    std::vector<const std::byte*> inputs;
    std::vector<std::byte*> outputs;
    int chunk = 1;
    int shares = 1;                   // of the tiles: one for each worker that can have a tile
    std::unique_ptr<Counter[]> next;  // for each share: its tiles begun, in all rounds
    Counter done;                     // tiles of all shares, in all rounds

    std::int64_t all() const { return std::int64_t{kernel->tiles} * kernel->rounds; }
  };
  /// A pointer that changes from run to run.
  struct Patch {
    std::size_t work, slot, index, offset;
    bool is_input;     // of the graph, else an output of the graph
    bool is_argument;  // of the kernel, else a result of the kernel
  };
  std::byte* resolve(const Location& location) const;
  void bind(std::size_t work, const Location& location, std::size_t slot, bool is_argument);
  void patch(std::span<const std::byte* const> inputs, std::span<std::byte* const> outputs);
  std::byte* output_at(std::size_t i, std::span<std::byte* const> outputs);
  void work_on(std::size_t step, int worker);
  void work_on(std::size_t step, int round, int worker);
  void run_tiles(Work& work, Range range, int worker);
  std::byte* scratch(int worker) {
    return scratch_ + scratch_each_ * static_cast<std::size_t>(worker);
  }

  const Graph& graph_;
  const Plan& plan_;
  ThreadPool& pool_;
  const int workers_;
  std::vector<Work> work_;
  std::vector<Patch> patches_;
  std::vector<AlignedBytes>
      discarded_;  // for outputs that the caller leaves out, made at first need
  bool parallel_ = false;
  bool timing_ = false;
  std::vector<double> ends_;
  std::atomic<bool> failed_{false};
  std::exception_ptr failure_;
  std::size_t failed_step_ = 0;
  AlignedBytes arena_;
  std::byte *scratch_ = nullptr, *shared_ = nullptr;
  std::size_t scratch_each_ = 0, bytes_ = 0;
};

}  // namespace webnn
