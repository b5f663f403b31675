// One operator at other sizes of its operands than those that trials of its graph have.
#pragma once

#include "src/graph/graph_data.h"

namespace webnn::inline v0_1 {

/// The shapes of operands, in their order, and of results.
struct LocalTrial {
  std::vector<Dims> operands{}, results{};
};

/// An operator of a graph with open dimensions, whose operands have these shapes in each of some
/// trials, at sizes around those of the first and the last one: of open dimensions that have one
/// size in all trials, or that of another one, of such as are broadcast with others, and of those
/// of windows, whose number is rounded. Whether the graph has inputs with these sizes does not
/// matter: what follows from a size here follows from it.
std::vector<LocalTrial> local_trials(const Op& op, const std::vector<std::vector<Dims>>& trials);

}  // namespace webnn::inline v0_1
