// An operator on shapes at other sizes than those that trials of its graph have.
#pragma once

#include "src/builder/known_values.h"
#include "src/builder/local_trials.h"

namespace webnn::inline v0_1 {

/// The operator, of a graph with open dimensions, whose operands have shapes at the sizes of a
/// trial, with one name at a time changed to other sizes, also where its shape operands are
/// computed with it. Whether the rest of the graph takes these sizes does not matter.
std::vector<LocalTrial> local_shape_trials(
    const Op& op, const GraphData& open, Evaluate evaluate,
    const std::function<const Dims&(const MLOperand&)>& shape_in_trial);

}  // namespace webnn::inline v0_1
