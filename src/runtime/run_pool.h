// The runs of a graph that may be under way at the same time.
#pragma once

#include <functional>
#include <mutex>

#include "src/runtime/executor.h"
#include "src/runtime/fair_lock.h"

namespace webnn {

/// Lends the memory of runs. The first is made with the pool, each other one when it is needed for
/// the first time; all are kept.
class RunPool {
 public:
  /// `may_grow(bytes)`: whether another run may be made; false is final.
  RunPool(const Executor& executor, int max_runs, std::function<bool(std::size_t)> may_grow);

  /// The memory of a run for one caller; waits, in the order of FairLock, while all are in use.
  class Lease {
   public:
    explicit Lease(RunPool& pool) : pool_(pool), run_(pool.take()) {}
    Lease(const Lease&) = delete;
    ~Lease() { pool_.give(run_); }
    Run& operator*() const { return run_; }
    Run* operator->() const { return &run_; }

   private:
    RunPool& pool_;
    Run& run_;
  };

  std::size_t count() const;  ///< of runs whose memory is held

 private:
  Run& take();
  void give(Run& run);
  Run* made();

  const Executor& executor_;
  std::function<bool(std::size_t)> may_grow_;
  FairLock slots_;
  mutable std::mutex mutex_{};  // guards what follows
  std::vector<std::unique_ptr<Run>> runs_{};
  std::vector<Run*> free_{};  // the last was used last, and may still be in a cache
};

}  // namespace webnn
