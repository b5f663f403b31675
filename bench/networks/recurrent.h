// Recurrent networks over a sequence.
#pragma once

#include "bench/networks/weights.h"

namespace webnn::inline v0_1::bench {

/// Two layers of a gated recurrent unit and a product for each of 100 steps: "input" [100, 1, 160]
/// -> "output" [100, 160].
NamedOperands gru(MLGraphBuilder& builder, std::uint32_t seed = 7, const WeightSink& sink = {});
/// The same with long short-term memories.
NamedOperands lstm(MLGraphBuilder& builder, std::uint32_t seed = 7, const WeightSink& sink = {});

}  // namespace webnn::inline v0_1::bench
