#include "src/runtime/run_pool.h"

#include <new>
#include <string>

#include "src/graph/callback_scope.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1 {

RunPool::RunPool(const Executor& executor, int max_runs, std::function<bool(std::size_t)> may_grow,
                 std::shared_ptr<RunMemory> memory)
    : executor_(executor),
      may_grow_(std::move(may_grow)),
      memory_(std::move(memory)),
      runs_(static_cast<std::size_t>(max_runs)),
      slots_(max_runs) {
  if (memory_) memory_->reserve(executor.run_bytes());
  runs_.front() = std::make_unique<Run>(executor, !memory_);
}

namespace {

/// A callback that waits for a run of the graph that calls it may wait forever.
void check_callbacks(const Executor& executor) {
  const void* const allocator = executor.memory().allocator.get();
  const char* name = CallbackScope::name_of(&executor);
  if (!name && allocator) name = CallbackScope::name_of(allocator);
  if (name)
    raise({std::string(name) + " of the context, which its runs call, runs it",
           ErrorName::InvalidStateError},
          "graph");
}

}  // namespace

/// Whether there was memory for another run.
bool RunPool::make(std::unique_ptr<Run>& run) {
  try {
    if (!may_grow_(executor_.run_bytes().total())) return false;
    run = std::make_unique<Run>(executor_, !memory_);
    ++count_;
    return true;
  } catch (const std::bad_alloc&) { return false; }
}

int RunPool::take() {
  check_callbacks(executor_);
  for (;;) {
    const int slot = slots_.take();
    std::unique_ptr<Run>& run = runs_[static_cast<std::size_t>(slot)];
    try {
      // Else this slot stays taken: there will be no more runs than now, and one of them becomes
      // free.
      if (!run && !make(run)) continue;
      run->alone =
          slots_.waiting() && count_.load() >= static_cast<std::size_t>(executor_.workers());
      if (memory_) run->bind(memory_->take(executor_.run_bytes(), run->bound()));
    } catch (...) {
      slots_.give(slot);
      throw;
    }
    return slot;
  }
}

void RunPool::give(int slot) {
  if (memory_) memory_->give(runs_[static_cast<std::size_t>(slot)]->bound());
  slots_.give(slot);
}

}  // namespace webnn::inline v0_1
