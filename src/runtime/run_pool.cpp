#include "src/runtime/run_pool.h"

#include <new>

namespace webnn::inline v0_1 {

RunPool::RunPool(const Executor& executor, int max_runs, std::function<bool(std::size_t)> may_grow)
    : executor_(executor),
      may_grow_(std::move(may_grow)),
      runs_(static_cast<std::size_t>(max_runs)),
      slots_(max_runs) {
  runs_.front() = std::make_unique<Run>(executor);
}

/// Whether there was memory for another run.
bool RunPool::make(std::unique_ptr<Run>& run) {
  try {
    if (!may_grow_(executor_.run_bytes())) return false;
    run = std::make_unique<Run>(executor_);
    ++count_;
    return true;
  } catch (const std::bad_alloc&) { return false; }
}

int RunPool::take() {
  for (;;) {
    const int slot = slots_.take();
    std::unique_ptr<Run>& run = runs_[static_cast<std::size_t>(slot)];
    if (run || make(run)) {
      run->alone =
          slots_.waiting() && count_.load() >= static_cast<std::size_t>(executor_.workers());
      return slot;
    }
    // This slot stays taken: there will be no more runs than now, and one of them becomes free.
  }
}

}  // namespace webnn::inline v0_1
