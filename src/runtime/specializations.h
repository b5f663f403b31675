// The graphs of a graph with open dimensions: one for each combination of sizes that was run.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>

#include "src/builder/sized_graph.h"
#include "src/graph/derived_constants.h"
#include "src/passes/passes.h"
#include "src/runtime/state_updates.h"
#include "webnn/context.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

struct ContextState;
struct GraphState;

/// What all sizes have in common.
struct OpenGraph {
  Graph graph;
  std::vector<Pass> passes{};
  std::vector<NamedUpdate> updates{};
  std::size_t max_bytes = 0;  ///< of intermediate results, scratch and constants that are kept
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

class Specializations {
 public:
  explicit Specializations(OpenGraph open)
      : open_(std::move(open)),
        derived_(std::make_shared<DerivedConstants>(data_of(open_.graph))) {}

  const Graph& graph() const { return open_.graph; }
  const OpenGraph& open() const { return open_; }
  /// The combinations of sizes that are there, the one used last first.
  std::vector<DimensionSizes> sizes() const;
  /// The graph at these sizes. Throws TypeError.
  Graph graph_at(const DimensionSizes& sizes, std::string_view method) const;

  /// The compiled graph of these sizes, which is made where it is not there. Threads that need the
  /// same one wait for the first of them. Throws TypeError, and what compile() throws.
  std::shared_ptr<GraphState> at(ContextState& context, const DimensionSizes& sizes,
                                 std::string_view method, const BuildOptions* options = nullptr);
  /// The one that was used last; null when there is none.
  std::shared_ptr<GraphState> last() const;
  /// All that are there, the one used last first.
  std::vector<std::shared_ptr<GraphState>> all() const;
  void clear();
  /// The constants that are held for sizes to come.
  std::vector<Constant> constants() const { return derived_->kept(); }

 private:
  struct Entry {
    DimensionSizes sizes;
    std::shared_ptr<GraphState> graph{};  // null while a thread makes it
    std::size_t bytes = 0;
  };
  std::shared_ptr<GraphState> make(ContextState& context, const DimensionSizes& sizes,
                                   std::string_view method, const BuildOptions* options) const;
  void evict(std::list<Entry>& dropped);

  const OpenGraph open_;
  const std::shared_ptr<DerivedConstants> derived_;
  mutable std::mutex mutex_{};
  std::condition_variable made_{};
  std::list<Entry> entries_{};  // the one used last first
};

}  // namespace webnn::inline v0_1
