// From a graph to kernels, a plan and memory.
#pragma once

#include "src/passes/passes.h"
#include "src/runtime/graph_state.h"

namespace webnn {

/// Passes, kernels, memory. Throws OperationError.
std::shared_ptr<GraphState> compile(Graph source, const MLContext& context,
                                    std::span<const Pass> passes = chosen_passes());

}  // namespace webnn
