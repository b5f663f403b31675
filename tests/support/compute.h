// Runs a graph that was imported.
#pragma once

#include <span>

#include "tests/support/tensor.h"
#include "webnn/webnn.h"

namespace webnn::inline v0_1::test {

/// The results, in the order of `outputs`; `values` are those of `inputs`, some of which the graph
/// may not have.
std::vector<Tensor> compute(MLContext context, const MLGraph& graph, const NamedOperands& inputs,
                            const NamedOperands& outputs, std::span<const Tensor> values);

}  // namespace webnn::inline v0_1::test
