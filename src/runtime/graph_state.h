// What an MLGraph stands for.
#pragma once

#include <cmath>
#include <mutex>
#include <optional>

#include "src/graph/access.h"
#include "src/graph/fused/expand.h"
#include "src/runtime/context_state.h"
#include "src/runtime/executor.h"
#include "src/runtime/growing_form.h"
#include "src/runtime/interpolation.h"
#include "src/runtime/kept_states.h"
#include "src/runtime/memory.h"
#include "src/runtime/name_index.h"
#include "src/runtime/packed_weights.h"
#include "src/runtime/run_pool.h"
#include "src/runtime/specializations.h"
#include "src/runtime/state_updates.h"

namespace webnn::inline v0_1 {

struct GraphState {
  explicit GraphState(const Graph& graph) : source(graph), optimized(graph) {}

  Graph source, optimized;  ///< the source is empty where it is made when somebody asks for it
  NamedDescriptors inputs{}, outputs{};
  std::vector<bool> optional{};  // by input: no operator of the graph as it was built reads it
  NameIndex input_index{}, output_index{};
  std::vector<std::size_t> input_bytes{}, output_bytes{};
  std::vector<PassReport> passes{};
  std::string pass_names{};               // the passes that were to run
  bool small_weights = true;              // what choose() was told
  std::weak_ptr<ContextState> context{};  // a queued job must not keep its own timeline alive
  std::shared_ptr<ThreadPool> pool{};
  int threads_asked = 1;
  std::vector<std::shared_ptr<const Backend>> backends{};  // before the kernels, which may use them
  Plan plan{};
  std::vector<StateUpdate> updates{};
  std::shared_ptr<const KeptStates> kept{};  // of an open graph, at all sizes the same
  PackedWeights weights{};
  std::size_t constants = 0;              // bytes of copies that kernels read
  std::vector<std::string> in_float32{};  // quantized operators, and readers of small weights
  double build_ms = 0;

  /// For a graph with open dimensions, which has nothing of what is below `source` and its names.
  std::unique_ptr<Specializations> open{};
  std::vector<std::string> empty_inputs{};     // those of an open graph that have no elements here
  std::optional<GrowingForm> growing{};        // it serves all sizes of the states
  std::unique_ptr<SizedGraph> length_graph{};  // for compute(), while ContextState::states is held
  std::shared_ptr<const Interpolation> of{};   // its graph follows from those of other sizes ...
  std::int64_t place = 0;                      // ... at this place
  bool has_expanded = false;                   // `optimized` is not that of the interpolation
  std::string sizes{};  // of an open graph, of which this is one specialization: "sequence = 37"

  /// The graph that was built.
  Graph built() const;
  std::size_t built_size() const { return of ? of->some_source().size() : source.size(); }
  /// `optimized` as programs see it: compositions in place of fused operators.
  const Expansion& shown() const;

  std::unique_ptr<Executor> executor{};
  std::unique_ptr<RunPool> runs{};
  std::atomic<bool> stopping{false};  // the context is destroyed

  std::atomic<float> last_run_us{HUGE_VALF};  // on the timeline
  unsigned light_runs = 0;                    // on the timeline
  // Who uses more than names and descriptors: queued jobs, calls that are under way.
  UseCount uses{};

  void destroy() {
    if (uses.destroy()) free_memory();
  }
  void free_memory();
  GraphMemory memory() const;  ///< while it is in use
  /// About the bytes of its graphs and its plan, without constants and weights.
  std::size_t form_bytes() const;

 private:
  mutable std::once_flag show_{}, make_source_{};
  mutable std::optional<Graph> made_source_{};
  mutable std::optional<Expansion> shown_{};
};

/// The graph, or InvalidStateError when empty or destroyed.
Use<GraphState> usable(const MLGraph& graph);
/// The graph, or for an open one that of the sizes that were used last; InvalidStateError when
/// there are none.
Use<GraphState> usable_sized(const MLGraph& graph);
/// A use of a graph of known sizes; InvalidStateError when it is destroyed.
Use<GraphState> used(std::shared_ptr<GraphState> sized, std::string_view method);

/// The graph, or TypeError when empty or of another context, InvalidStateError when destroyed.
Use<GraphState> usable(const MLGraph& graph, const ContextState& context, std::string_view method);
/// A use for a call that returns while the caller still has its handle.
BorrowedUse<GraphState> usable_here(const MLGraph& graph, const ContextState& context,
                                    std::string_view method);

}  // namespace webnn::inline v0_1
