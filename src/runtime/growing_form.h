// Sizes of an open graph whose states grow that one specialization serves.
#pragma once

#include <optional>
#include <string>

#include "src/builder/sized_graph.h"
#include "src/runtime/state_updates.h"

namespace webnn::inline v0_1 {

/// One for each choice of the sizes that do not grow.
struct GrowingForm {
  std::size_t past = 0;              ///< which dimension it is in which all states grow
  std::vector<bool> totals{};        ///< by dimension: it has the size of the states after the run
  std::vector<std::string> masks{};  ///< inputs whose last dimension is one of these
  std::uint32_t fresh = 1;           ///< rows that a run adds
  std::uint32_t capacity = 0;        ///< the bound of the states
  DimensionSizes sizes{};            ///< those of the run after which the states are full

  bool matches(const GraphData& open, const DimensionSizes& given) const;
};

/// The dimension in which all states of the graph grow, and which no other input has. Nothing if
/// there is none, or another number of them.
std::optional<std::size_t> growing_dimension(const Graph& open,
                                             const std::vector<NamedUpdate>& updates);

/// Dimensions that may be totals: they are the last ones of inputs that are no states, and occur
/// nowhere else.
std::vector<bool> possible_totals(const Graph& open, const std::vector<NamedUpdate>& updates);

/// The form with these sizes. All operators that depend on the size of the states are such that
/// nothing but the number of rows changes from one size to the next: no sizes are computed with it.
/// Nothing where that is not so.
std::optional<GrowingForm> growing_form(const Graph& open, const std::vector<NamedUpdate>& updates,
                                        const DimensionSizes& given);

}  // namespace webnn::inline v0_1
