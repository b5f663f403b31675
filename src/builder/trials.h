// What is known of a graph with open dimensions while it is built: sizes with which all of its
// operators agree.
#pragma once

#include "src/builder/local_trials.h"
#include "src/builder/size_search.h"

namespace webnn::inline v0_1 {

/// The graph under construction at several sizes. Each operator is added to all of them. Sizes that
/// an operator refuses are replaced by others that it accepts; an operator that refuses all that
/// are tried is refused. Where results have the same size in all, it is one; else it is open. That
/// every name has several sizes is looked after, for else all that follows from it seems known.
class Trials {
 public:
  /// The graph may have operators and inputs, without open dimensions.
  Trials(const GraphData& open, Evaluate evaluate);

  /// The input was just added to the graph, with its names in GraphData::dimensions.
  void add_input(const MLOperand& x);

  /// A result of an operator: its descriptor, with 0 for open dimensions, and which these are.
  struct Shape {
    MLOperandDescriptor descriptor{};
    std::shared_ptr<const OpenShape> open{};
  };
  /// Adds an operator whose operands belong to the graph.
  Result<std::vector<Shape>> add(const Op& op);
  /// Says which operands of the graph stand for the results of the operator added last.
  void set_results(const std::vector<MLOperand>& results);

  /// Sizes that all operators take: rather small ones. Empty if none are known.
  DimensionSizes sizes() const;

  /// Forgets everything and begins again with the operators that the graph has now.
  void restart();
  /// Forgets sizes beyond the bounds that the dimensions of the graph have now, and begins again if
  /// none are left.
  void keep_within_bounds();

 private:
  struct Trial {
    std::unique_ptr<SizedGraph> graph;
    std::vector<MLOperand> results{};  // of the operator added last
  };

  std::optional<Trial> replay(DimensionSizes sizes, const Op* last) const;
  std::optional<Trial> with_a_sum() const;
  std::optional<Trial> with_small_sizes(const Op& op) const;
  bool has(const DimensionSizes& sizes) const;
  bool depends_on_sizes(const Op& op, std::span<const Failure> failures,
                        std::span<const Trial> refused) const;
  void look_for_more(const Op* op, const std::vector<DimensionSizes>& starts, std::size_t enough,
                     std::size_t tries);
  bool varies(std::size_t dimension) const;
  bool differs(std::size_t dimension) const;
  void vary(const Op& op);
  DimensionSizes least() const;
  std::size_t replay_cost() const;
  std::size_t tries() const;
  std::vector<LocalTrial> local(const Op& op) const;
  Shape shape_of(std::size_t result, const Op& op, const std::vector<LocalTrial>& local);
  MLDimension dimension_of(std::size_t result, std::size_t d, const Op& op,
                           const std::vector<LocalTrial>& local);
  std::string fresh_name(const std::string& from);

  const GraphData& open_;
  Evaluate evaluate_;
  std::vector<Trial> trials_{};
  std::vector<std::size_t> attempts_{};  // to vary each name
  std::size_t searched_ = 0;             // operators that were added while sizes were looked for
  std::unordered_map<std::string, int> fresh_{};
};

}  // namespace webnn::inline v0_1
