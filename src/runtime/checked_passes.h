// Passes whose results are checked.
#pragma once

#include "src/passes/passes.h"
#include "src/runtime/progress_reporter.h"

namespace webnn::inline v0_1 {

/// The graph after the passes. Each has to make a graph that a builder accepts, with the same
/// inputs and outputs: where one does not, nothing is built rather than something wrong computed.
Graph optimize_checked(Graph graph, std::span<const Pass> passes, std::vector<PassReport>& report,
                       const ProgressReporter& progress);

}  // namespace webnn::inline v0_1
