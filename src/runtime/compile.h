// From a graph to kernels, a plan and memory.
#pragma once

#include "src/passes/passes.h"
#include "src/runtime/graph_state.h"
#include "webnn/graph_builder.h"

namespace webnn {

/// Passes, kernels, memory. Throws OperationError, AbortError.
std::shared_ptr<GraphState> compile(Graph source, const MLContext& context,
                                    std::span<const Pass> passes = chosen_passes(),
                                    const BuildOptions& options = {},
                                    const std::vector<NamedUpdate>& updates = {});

}  // namespace webnn
