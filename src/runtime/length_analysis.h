// Which part of an open graph follows from the length of its states, and what is left: a graph that
// is the same for all lengths.
#pragma once

#include "src/runtime/length_values.h"
#include "src/runtime/state_updates.h"

namespace webnn::inline v0_1 {

struct LengthParts {
  LengthValues values{};
  /// What takes the place of an operand in the graph that is left, both as ids of the open graph.
  struct Replaced {
    std::uint32_t operand = 0, by = 0;
  };
  std::vector<Replaced> replaced{};
};

/// An open graph at sizes that differ in the length of the states alone.
struct AtLength {
  SizedGraph& graph;  ///< with all operators
  StateLengths lengths{};
};

/// Nothing where the graph that is left is not the same for all lengths, or this cannot be shown.
std::optional<LengthParts> length_parts(const GraphData& open,
                                        const std::vector<NamedUpdate>& updates, AtLength longer,
                                        AtLength shorter);

/// The graph that is left, with an input for each result of the values.
Result<Graph> graph_left(const Graph& open, const LengthParts& parts, const DimensionSizes& sizes,
                         Derivation derivation);

}  // namespace webnn::inline v0_1
