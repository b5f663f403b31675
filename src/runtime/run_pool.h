// The runs of a graph that may be under way at the same time.
#pragma once

#include <atomic>
#include <functional>

#include "src/runtime/executor.h"
#include "src/runtime/fair_slots.h"

namespace webnn::inline v0_1 {

/// Lends the memory of runs. The first is made with the pool, each other one when it is needed for
/// the first time; all are kept.
class RunPool {
 public:
  /// `may_grow(bytes)`: whether another run may be made; false is final. Runs have their memory
  /// from `memory`, each when it is lent, or memory of their own. Throws std::bad_alloc, as a lease
  /// does for a run whose memory is not there.
  RunPool(const Executor& executor, int max_runs, std::function<bool(std::size_t)> may_grow,
          std::shared_ptr<RunMemory> memory = nullptr);

  /// The memory of a run for one caller; waits, in the order of FairSlots, while all are in use.
  class Lease {
   public:
    explicit Lease(RunPool& pool) : pool_(pool), slot_(pool.take()) {}
    Lease(const Lease&) = delete;
    ~Lease() { pool_.give(slot_); }
    Run& operator*() const { return *pool_.runs_[static_cast<std::size_t>(slot_)]; }
    Run* operator->() const { return &**this; }

   private:
    RunPool& pool_;
    const int slot_;
  };

  std::size_t count() const { return count_.load(); }        ///< how many runs have memory
  const RunMemory* memory() const { return memory_.get(); }  ///< null: runs have their own

 private:
  int take();
  void give(int slot);
  bool make(std::unique_ptr<Run>& run);

  const Executor& executor_;
  std::function<bool(std::size_t)> may_grow_;
  std::shared_ptr<RunMemory> memory_;
  std::vector<std::unique_ptr<Run>> runs_;  // by slot, each guarded by it
  std::atomic<std::size_t> count_{1};
  FairSlots slots_;
};

}  // namespace webnn::inline v0_1
