// Subgraphs whose use follows from data, while a graph is built. Private.
#pragma once

#include "src/operators/control.h"
#include "webnn/graph_builder.h"

namespace webnn::inline v0_1 {

/// The operators of a subgraph are added to the builder, between begin() and end(), and taken out
/// of it as a graph of their own: what is left in the builder no output needs.
class SubgraphRecorder {
 public:
  explicit SubgraphRecorder(MLGraphBuilder& b);

  /// The number of the iteration: an int64 scalar.
  const MLOperand& iteration() const { return parameters_.front(); }
  /// What stands for a state of a loop in the subgraph.
  MLOperand state(const MLOperand& initial);
  void begin();
  void end(std::vector<MLOperand> outputs);

  /// How many operators the outputs of the last subgraph need, and what these compute: 0 where
  /// sizes are open.
  std::size_t size() const;
  double operations() const;

  struct Recorded {
    std::vector<control::LoopBody> subgraphs{};
    std::vector<MLOperand> shared{};  ///< the inputs behind the states
  };
  /// The subgraphs that have ended, all with the same inputs. A failure where sizes are open.
  Result<Recorded> take(bool has_condition = false) const;

 private:
  struct Part {
    std::size_t begin = 0;  // operators of the builder
    std::vector<MLOperand> outputs{};
    std::vector<std::size_t> nodes{};  // that the outputs need
  };
  void find_nodes(Part& part) const;

  MLGraphBuilder& b_;
  std::vector<MLOperand> parameters_{};
  std::vector<Part> parts_{};
  std::size_t begin_ = 0;
};

}  // namespace webnn::inline v0_1
