// What operators of a graph compute on the way to its outputs.
#pragma once

#include "tools/webnn/model/execute.h"

namespace webnn::inline v0_1::tool {

/// One run of the graph with these of its results as outputs, in this order.
Results results_of(const MLContext& context, const Graph& graph,
                   const std::vector<MLOperand>& results, const Feeds& feeds);

/// Results are kept in groups of at most so many bytes, or one by one: the end of the group that
/// starts at `begin`, of tensors of these sizes.
std::size_t end_of_group(std::span<const std::uint64_t> sizes, std::size_t begin);

}  // namespace webnn::inline v0_1::tool
