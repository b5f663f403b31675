#include "src/runtime/run_pool.h"

#include <new>

namespace webnn {

RunPool::RunPool(const Executor& executor, int max_runs, std::function<bool(std::size_t)> may_grow)
    : executor_(executor), may_grow_(std::move(may_grow)), slots_(max_runs) {
  runs_.reserve(static_cast<std::size_t>(max_runs));
  free_.reserve(static_cast<std::size_t>(max_runs));
  free_.push_back(runs_.emplace_back(std::make_unique<Run>(executor)).get());
}

std::size_t RunPool::count() const {
  const std::lock_guard lock(mutex_);
  return runs_.size();
}

/// Another run, or null when there is no memory for it.
Run* RunPool::made() {
  try {
    if (!may_grow_(executor_.run_bytes())) return nullptr;
    auto run = std::make_unique<Run>(executor_);
    const std::lock_guard lock(mutex_);
    return runs_.emplace_back(std::move(run)).get();
  } catch (const std::bad_alloc&) { return nullptr; }
}

Run& RunPool::take() {
  for (;;) {
    slots_.lock();
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        Run& run = *free_.back();
        free_.pop_back();
        return run;
      }
    }
    if (Run* run = made()) return *run;
    // This slot stays taken: there will be no more runs than now, and one of them becomes free.
  }
}

void RunPool::give(Run& run) {
  {
    const std::lock_guard lock(mutex_);
    free_.push_back(&run);
  }
  slots_.unlock();
}

}  // namespace webnn
