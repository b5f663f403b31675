// Inputs of a graph that serves all lengths of its states: what follows from the length.
#pragma once

#include "src/runtime/context_state.h"
#include "src/runtime/length_values.h"
#include "webnn/views.h"

namespace webnn::inline v0_1 {

/// Copies of the values that they are computed with, after the jobs that are queued. Nothing where
/// a tensor cannot be read: the dispatch says why. ContextState::states is not held: jobs run here.
std::optional<std::vector<Constant>> values_of(ContextState& context, const LengthValues& all,
                                               const GraphData& open, ListView<NamedTensor> inputs);

/// Tensors with the results, whose rows lie as those of full states do.
std::vector<NamedTensor> computed_inputs(ContextState& context, const LengthValues& all,
                                         std::span<const Constant> results,
                                         const NamedDescriptors& inputs,
                                         const StateLengths& lengths);

}  // namespace webnn::inline v0_1
