// From a graph to kernels, a plan and memory.
#pragma once

#include "src/passes/passes.h"
#include "src/runtime/graph_state.h"
#include "src/runtime/interpolation.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

/// What the graphs of an open graph have in common.
struct OfOpenGraph {
  std::shared_ptr<RunMemory> memory{};  ///< runs have theirs from it
  /// With a form, whose sizes the source has, the graph serves all sizes of its states.
  const GrowingForm* growing = nullptr;
  /// What passes make of the source, if that is known. Then there is no source.
  std::optional<InterpolatedGraph> interpolated{};
  /// Another one of the same interpolation, whose kernels are used where nothing else depends on
  /// sizes.
  const GraphState* like = nullptr;
  std::shared_ptr<const KeptStates> kept{};
  const PackedWeights* weights = nullptr;         ///< of another one: its blocks are found
  std::shared_ptr<const StoredWeights> stored{};  ///< of a file: its blocks are found
  bool is_subgraph = false;  ///< of an operator: runs of the graph around it have its memory
};

/// Passes, kernels, memory. Throws OperationError, AbortError. Null where a graph cannot have the
/// form.
std::shared_ptr<GraphState> compile(Graph source, const MLContext& context,
                                    std::span<const Pass> passes = chosen_passes(),
                                    const BuildOptions& options = {},
                                    const std::vector<NamedUpdate>& updates = {},
                                    OfOpenGraph open = {});

/// What the passes of compile() make of a graph of known sizes.
OptimizedGraph optimized_graph(Graph source, std::span<const Pass> passes);

/// What a compilation has found out.
struct Compiled {
  Graph graph;  ///< after the passes; constants that no kernel reads may be released
  std::vector<bool> optional{};  ///< by input: whether a run may leave it out
  std::vector<RecordedChoice> choices{};
  /// The weights that these want.
  std::vector<std::pair<BlockKey, std::shared_ptr<const PackedBlock>>> blocks{};
  std::vector<NamedUpdate> updates{};
  std::vector<PassReport> passes{};
  std::vector<std::string> in_float32{};
};
/// The graph of an earlier compilation with the passes chosen_passes(), without passes, and without
/// packing the blocks that are given. Throws DataError when it does not fit, otherwise as compile()
/// does.
std::shared_ptr<GraphState> restore(Compiled compiled, const MLContext& context);

/// "fold_constants,fold_bias"
std::string pass_names_of(std::span<const Pass> passes);

}  // namespace webnn::inline v0_1
