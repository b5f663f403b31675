// Looks for sizes with which all operators of a graph agree.
#pragma once

#include "src/builder/sized_graph.h"

namespace webnn::inline v0_1 {

/// Where sizes are refused, they are changed to numbers that occur in the operands and attributes
/// of the operator that refuses them and in what it says, one dimension or those of an operand at a
/// time; what comes further is changed first.
class SizeSearch {
 public:
  SizeSearch(const GraphData& open, Evaluate evaluate) : open_(open), evaluate_(evaluate) {}

  /// Sizes that the graph and, if it is not null, an operator behind it take, which are none of
  /// `known`; nothing when `tries` were refused.
  std::optional<DimensionSizes> find(const Op* last, const std::vector<DimensionSizes>& starts,
                                     const std::vector<DimensionSizes>& known, std::size_t tries);

 private:
  /// How far sizes come.
  struct Outcome {
    std::size_t operators = 0;  ///< that take them
    std::string rule{};         ///< that refuses them: its message without numbers
    std::vector<DimensionSizes> next{};
    bool accepted = false;
  };
  Outcome try_sizes(const DimensionSizes& sizes, const Op* last) const;
  std::vector<DimensionSizes> changed(SizedGraph& graph, const Op& op,
                                      std::string_view message) const;
  /// The sizes at which the dimensions of an operand are numbers of a list, all at once.
  std::vector<DimensionSizes> aligned(const SizedGraph& graph, const Op& op,
                                      const std::vector<Dims>& lists) const;

  const GraphData& open_;
  Evaluate evaluate_;
};

/// A size within the bounds of a dimension; at least 1.
std::uint32_t bounded(std::uint64_t size, const MLDynamicDimension& dimension);

}  // namespace webnn::inline v0_1
