// One run of a graph on tensors, checked and ready for the timeline.
#pragma once

#include "src/runtime/context_state.h"

namespace webnn::inline v0_1 {

/// Throws as MLContext::dispatch does. To be pushed to the context's timeline, or dropped.
std::unique_ptr<Job> dispatch_job(ContextState& context, const MLGraph& graph,
                                  ListView<NamedTensor> inputs, ListView<NamedTensor> outputs);

}  // namespace webnn::inline v0_1
