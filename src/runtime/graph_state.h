// What an MLGraph stands for.
#pragma once

#include <cmath>

#include "src/graph/access.h"
#include "src/runtime/context_state.h"
#include "src/runtime/executor.h"
#include "src/runtime/memory.h"
#include "src/runtime/name_index.h"
#include "src/runtime/packed_weights.h"
#include "src/runtime/run_pool.h"
#include "src/runtime/state_updates.h"

namespace webnn {

struct GraphState {
  explicit GraphState(const Graph& graph) : source(graph), optimized(graph) {}

  Graph source, optimized;
  NamedDescriptors inputs{}, outputs{};
  NameIndex input_index{}, output_index{};
  std::vector<std::size_t> input_bytes{}, output_bytes{};
  std::vector<PassReport> passes{};
  std::string pass_names{};               // of those that were to run
  bool small_weights = true;              // as choose() was told
  std::weak_ptr<ContextState> context{};  // a queued job must not keep its own timeline alive
  std::shared_ptr<ThreadPool> pool{};
  std::vector<std::shared_ptr<const Backend>> backends{};  // before the kernels, which may use them
  Plan plan{};
  std::vector<StateUpdate> updates{};
  PackedWeights weights{};
  std::size_t constants = 0;             // bytes of copies that kernels read
  std::vector<std::string> on_floats{};  // quantized operators, and readers of small weights
  double build_ms = 0;

  std::unique_ptr<Executor> executor{};
  std::unique_ptr<RunPool> runs{};
  std::atomic<bool> stopping{false};  // the context is destroyed

  std::atomic<float> last_run_us{HUGE_VALF};  // on the timeline
  unsigned light_runs = 0;                    // on the timeline
  UseCount uses{};  // of all but names and descriptors: queued jobs, calls that are under way

  void destroy() {
    if (uses.destroy()) free_memory();
  }
  void free_memory();
  GraphMemory memory() const;  ///< while it is in use
};

/// The graph, or TypeError when empty or of another context, InvalidStateError when destroyed.
Use<GraphState> usable(const MLGraph& graph, const ContextState& context, std::string_view method);
/// The same for a call that returns while the caller still has its handle.
BorrowedUse<GraphState> usable_here(const MLGraph& graph, const ContextState& context,
                                    std::string_view method);

}  // namespace webnn
