// Sizes of an open graph whose states grow that one specialization serves.
#pragma once

#include <optional>
#include <string>

#include "src/builder/sized_graph.h"
#include "src/runtime/length_analysis.h"
#include "src/runtime/state_updates.h"

namespace webnn::inline v0_1 {

/// One for each choice of the sizes that do not grow.
struct GrowingForm {
  std::size_t past = 0;              ///< which dimension it is in which all states grow
  std::vector<bool> totals{};        ///< by dimension: it has the size of the states after the run
  std::vector<std::string> masks{};  ///< inputs whose last dimension is one of these
  std::uint32_t fresh = 1;           ///< rows that a run adds
  std::uint32_t capacity = 0;        ///< the bound of the states
  /// How many states are joined to each one, of lengths of their own; 0: none are.
  std::uint32_t sequences = 0;
  DimensionSizes sizes{};  ///< those of the run after which the states are full
  LengthParts parts{};     ///< what follows from the length, and is no part of its graph

  bool matches(const GraphData& open, const DimensionSizes& given, std::uint32_t joined) const;
  StateLengths lengths(const DimensionSizes& given) const {
    return {given[past], given[past] + fresh};
  }
};

/// The dimension in which all states of the graph grow, and which no other input has. Nothing if
/// there is none, or another number of them.
std::optional<std::size_t> growing_dimension(const Graph& open,
                                             const std::vector<NamedUpdate>& updates);

/// Dimensions that may be totals: they are the last ones of inputs that are no states, and occur
/// nowhere else.
std::vector<bool> possible_totals(const Graph& open, const std::vector<NamedUpdate>& updates);

/// The form with these sizes. In all operators of its graph that depend on the size of the states,
/// nothing but the number of rows changes from one size to the next: what else follows from it is
/// computed apart. Nothing where that is not so, and for joined states also where a run adds more
/// than a row or anything follows from the size. `joined`: GrowingForm::sequences.
std::optional<GrowingForm> growing_form(const Graph& open, const std::vector<NamedUpdate>& updates,
                                        const DimensionSizes& given, std::uint32_t joined);

}  // namespace webnn::inline v0_1
