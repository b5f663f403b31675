// A graph with open dimensions at several sizes: a format that writes what an operator is at each
// of them sees whether that depends on the sizes. Private; a shared library of a format has its own
// copy and does not show it.
#pragma once

#include "webnn/graph.h"

namespace webnn::inline v0_1::formats {

/// The graph with the operators that it has, those on shapes included, whose operands have the
/// shapes of some sizes; ids of operands and numbers of operators are those of the open graph.
/// Every open dimension, of inputs and of results, has at least two sizes. Fails with the name of a
/// dimension for which no two sizes are found.
[[gnu::visibility("hidden")]] Result<std::vector<Graph>> sized_trials(const Graph& open);
/// The same at the least sizes, if all operators take them.
[[gnu::visibility("hidden")]] std::optional<Graph> least_trial(const Graph& open);

}  // namespace webnn::inline v0_1::formats
