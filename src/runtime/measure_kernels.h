// Measures kernels of the same operators against each other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/runtime/executor.h"

namespace webnn::inline v0_1 {

/// The nanoseconds of each choice, all of which are packed and for the same chain, on operands of
/// finite random values other than zero: of runs in turns on the threads of the pool, which take
/// about 30 ms, and at least four runs of each. It is the least time of the first choice, and the
/// second least of the others, so that one lucky run does not win; for one that is several times as
/// slow as the first it is an estimate. None for kernels that throw. The choices come back as they
/// were.
std::vector<std::optional<std::uint64_t>> measure_kernels(std::vector<Choice>& choices,
                                                          const Graph& graph, ThreadPool& pool,
                                                          const StopCondition& stop,
                                                          const MemorySource& memory = {});

}  // namespace webnn::inline v0_1
