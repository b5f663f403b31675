// What an MLContext stands for. Private.
#pragma once

#include <atomic>
#include <mutex>

#include "src/graph/access.h"
#include "src/kernels/common/aligned_bytes.h"
#include "src/runtime/failures.h"
#include "src/runtime/timeline.h"
#include "src/runtime/tuning.h"
#include "webnn/backend.h"
#include "webnn/context.h"

namespace webnn::inline v0_1 {

struct ContextState {
  explicit ContextState(const MLContextOptions& o) : timeline(o.uncaughtException, o.log) {}

  MLContextOptions options{};
  std::vector<std::shared_ptr<const Backend>> backends{};
  std::shared_ptr<ThreadPool> pool{};
  int threads_asked = 1;  // of which the pool may have fewer
  std::atomic<bool> lost{false};
  std::mutex lowering{};  // a backend is called by one thread at a time
  TuningState tuning{};
  const Failures failures{};

  std::mutex registry{};  // guards the lists: what destroy() has to reach
  std::vector<std::weak_ptr<GraphState>> graphs{};
  std::vector<std::weak_ptr<TensorState>> tensors{};

  /// Guards the sizes of states that grow: held until what uses or changes one is queued.
  /// Recursive: what is queued may run at once, and call back.
  std::recursive_mutex states{};

  std::weak_ptr<ContextState> self{};

  Timeline timeline;  // last, so that queued work ends before the rest goes
};

/// Where it has its memory from.
inline MemorySource memory_of(const ContextState& context, MemoryPurpose purpose) {
  return {context.options.allocator, purpose};
}
/// Tells the program something; cheap where it does not listen, if the message is known.
inline void say(const MLContextOptions& options, LogLevel level, std::string_view message) {
  if (options.log) options.log(level, message);
}

/// Whether that is this context. Counts no reference.
inline bool same(const std::weak_ptr<ContextState>& other, const ContextState& context) {
  return !other.owner_before(context.self) && !context.self.owner_before(other);
}

/// Pushes a job that nobody waits for. Where it runs before this returns, its callback may drop the
/// last handle of the context, which stays until then.
inline void push(std::shared_ptr<ContextState> context, std::unique_ptr<Job> job) {
  context->timeline.push(std::move(job));
}

/// Remembers a graph or tensor, and forgets those that are gone.
template <class T> void remember(std::vector<std::weak_ptr<T>>& list, const std::shared_ptr<T>& x) {
  if (list.size() == list.capacity())
    std::erase_if(list, [](const auto& w) { return w.expired(); });
  list.push_back(x);
}

}  // namespace webnn::inline v0_1
