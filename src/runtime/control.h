// Operators that hold subgraphs (src/operators/control.h), compiled. Private.
#pragma once

#include "src/operators/control.h"
#include "src/passes/passes.h"
#include "src/runtime/executor.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

struct GraphState;

/// The subgraphs of one operator, compiled for its context. They have its constants, so that their
/// weights are packed, and run on the workers of the graph around them, within its step.
struct ControlGraphs {
  struct Part {
    std::shared_ptr<GraphState> graph;
    std::vector<std::size_t> inputs{};  ///< by input of the graph: which input of the subgraph
  };
  const operators::ControlForm* form = nullptr;
  std::shared_ptr<const CustomOperator> definition{};  ///< that has the form
  std::vector<Part> parts{};

  // Offsets in Plan::shared memory: the number of the iteration and its condition come first.
  std::vector<std::size_t> states[2]{};  ///< of one iteration, and of the next
  std::vector<std::size_t> state_bytes{};
  std::size_t memory = 0;  ///< of a run of a subgraph
  std::size_t bytes = 0;   ///< of all
};

/// What a run keeps for a step that runs subgraphs. One worker leads it: what it opens, others may
/// enter, and it goes on when all have left.
struct ControlRun {
  explicit ControlRun(const ControlGraphs& graphs);

  /// Whether the subgraph that runs now can be worked on: then leave() comes behind it.
  bool enter() {
    inside.fetch_add(1);
    if (open.load()) return true;
    leave();
    return false;
  }
  void leave() {
    if (inside.fetch_sub(1) == 1) inside.notify_all();
  }

  const ControlGraphs& graphs;
  std::vector<std::unique_ptr<Run>> runs{};  // by part
  std::vector<std::vector<const std::byte*>> in{};
  std::vector<std::vector<std::byte*>> out{};
  std::vector<const std::byte*> states{};  // of the iteration that is next
  Run* now = nullptr;                      // while it is open
  alignas(64) std::atomic<bool> open{false};
  alignas(64) std::atomic<int> inside{0};
  alignas(64) std::atomic<std::uint32_t> phase{0};  // changes when it is opened, and at the end
};

/// Compiles the subgraphs of all steps of a plan, before the constants of the graph are released.
/// The context can be used by other builds meanwhile. Returns the bytes of their weights and
/// constants.
std::size_t compile_subgraphs(GraphState& g, const MLContext& context, std::span<const Pass> passes,
                              const BuildOptions& options);
/// Their weights and constants.
GraphMemory memory_of_subgraphs(const Plan& plan);

}  // namespace webnn::inline v0_1
