// The graphs of a graph with open dimensions: one for each combination of sizes that was run.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <unordered_map>

#include "src/builder/sized_graph.h"
#include "src/graph/derived_constants.h"
#include "src/passes/passes.h"
#include "src/runtime/growing_form.h"
#include "src/runtime/interpolation.h"
#include "src/runtime/run_memory.h"
#include "src/runtime/state_updates.h"
#include "src/runtime/stored_weights.h"
#include "src/runtime/use_count.h"
#include "webnn/context.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

struct ContextState;
class KeptStates;
struct GraphState;
struct PackedBlock;

/// What all sizes have in common.
struct OpenGraph {
  Graph graph;
  std::vector<Pass> passes{};
  std::vector<NamedUpdate> updates{};
  std::size_t max_bytes = 0;  ///< of intermediate results, scratch and constants that are kept
  std::shared_ptr<const StoredWeights> stored{};  ///< of a file
  std::shared_ptr<const KeptStates> kept{};
};

/// Which input has which shape. An input is given once; names are those of the graph.
struct GivenShape {
  std::string_view name;
  std::span<const std::uint32_t> shape{};
  bool ranked = false;    ///< whether `shape` is given
  std::size_t bytes = 0;  ///< else the bytes of its elements
};

/// The size of each open dimension of a graph. Throws TypeError.
DimensionSizes sizes_of(const Graph& graph, std::span<const GivenShape> given,
                        std::string_view method);

/// Throws TypeError for a shape that an input cannot have.
void check_shape(const Graph& graph, const GivenShape& given, std::string_view method);

class Specializations {
 public:
  explicit Specializations(OpenGraph open)
      : open_(std::move(open)),
        derived_(std::make_shared<DerivedConstants>(data_of(open_.graph))),
        past_(webnn::growing_dimension(open_.graph, open_.updates)) {}

  const Graph& graph() const { return open_.graph; }
  const std::vector<NamedUpdate>& updates() const { return open_.updates; }
  /// The dimension in which all states grow, if there is one.
  const MLDynamicDimension* growing_dimension() const {
    return past_ ? &data_of(open_.graph).dimensions[*past_] : nullptr;
  }
  const OpenGraph& open() const { return open_; }
  /// The combinations of sizes that are there, the one used last first.
  std::vector<DimensionSizes> sizes() const;
  /// The graph at these sizes. Throws TypeError.
  Graph graph_at(const DimensionSizes& sizes, std::string_view method) const;

  /// The compiled graph of these sizes, which is made where it is not there. Threads that need the
  /// same one wait for the first of them. Throws TypeError, and what compile() throws.
  std::shared_ptr<GraphState> at(ContextState& context, const DimensionSizes& sizes,
                                 std::string_view method, const BuildOptions* options = nullptr);
  /// A compiled graph that serves all sizes of the states and has these other ones; null where
  /// there can be none. `joined`: GrowingForm::sequences. Calls are one after the other:
  /// ContextState::states is held.
  std::shared_ptr<GraphState> growing(ContextState& context, const DimensionSizes& sizes,
                                      std::uint32_t joined);
  /// The one that was used last; null when there is none.
  std::shared_ptr<GraphState> last() const;
  /// All that are there, the one used last first.
  std::vector<std::shared_ptr<GraphState>> all() const;
  void clear();
  /// The constants that are held for sizes to come.
  std::vector<Constant> constants() const { return derived_->kept(); }
  /// The packed weights of all sizes, and those of the file.
  StoredWeights weights() const;
  /// The memory of the runs of all sizes.
  RunMemory::Held memory() const { return memory_->held(); }

 private:
  struct Entry {
    DimensionSizes sizes;
    std::shared_ptr<GraphState> graph{};  // null while a thread makes it
    std::size_t bytes = 0;                // of what no other one holds
    std::size_t run_bytes = 0;            // of what all of them share, so that the largest counts
    std::vector<std::pair<const PackedBlock*, std::size_t>> blocks{};  // and their bytes
  };
  std::shared_ptr<GraphState> make(ContextState& context, const DimensionSizes& sizes,
                                   std::string_view method, const BuildOptions* options,
                                   const GrowingForm* form = nullptr);
  std::shared_ptr<GraphState> make_growing(ContextState& context, const DimensionSizes& sizes,
                                           std::uint32_t joined);
  /// One of which the weights are found by others; empty when there is none.
  Use<GraphState> made_last() const;
  Use<GraphState> made_of(const Interpolation& of) const;
  /// The graphs of these sizes, where they follow from those of others.
  std::optional<InterpolatedGraph> interpolated(const DimensionSizes& sizes);
  /// What has the sizes between these and others, if they differ from the last ones that were made
  /// in such a way that this can be.
  std::shared_ptr<const Interpolation> interpolate(const DimensionSizes& sizes);
  void add_blocks(const Entry& entry);
  void remove_blocks(const Entry& entry);
  /// Takes out of the list what goes beyond the bounds.
  void evict(std::list<Entry>& dropped);

  const OpenGraph open_;
  const std::shared_ptr<DerivedConstants> derived_;
  const std::shared_ptr<RunMemory> memory_ = std::make_shared<RunMemory>();
  const std::optional<std::size_t> past_;  // the dimension in which all states grow
  mutable std::mutex mutex_{};
  std::condition_variable made_{};
  std::list<Entry> entries_{};                             // the one used last first
  std::unordered_map<const PackedBlock*, int> holders_{};  // how many of them have each block
  std::size_t block_bytes_ = 0;                            // of these blocks
  std::vector<std::shared_ptr<GraphState>> growing_{};     // the newest last
  std::shared_ptr<GraphState> last_growing_{};             // if it was used last of all
  std::vector<std::shared_ptr<const Interpolation>> interpolations_{};  // the newest last
  DimensionSizes made_last_{};
  bool interpolates_ = false;                    // a thread does
  std::vector<std::vector<bool>> not_affine_{};  // changes of dimensions
  // For which there is none: 0 for sizes that grow, and behind them GrowingForm::sequences.
  std::vector<DimensionSizes> not_growing_{};
};

}  // namespace webnn::inline v0_1
