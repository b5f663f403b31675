// What the fuzzers of models have in common.
#pragma once

#include "webnn/webnn.h"

namespace webnn::inline v0_1::fuzz {

/// One thread and the reference kernels.
MLContext& context();

/// One in eight of the inputs, for running a graph takes longest.
bool is_run(const std::uint8_t* data, std::size_t size);

/// Whether the graph and every value of it is small.
bool is_small(const Graph& graph);
bool is_small(const MLGraphBuilder& builder, const NamedOperands& outputs);

/// Runs a graph with inputs of bytes that are 1.
void run(MLContext& context, const MLGraph& graph);

/// Builds a graph and runs it, if it and every value of it is small.
std::optional<MLGraph> run_if_small(MLGraphBuilder& builder, const NamedOperands& outputs,
                                    const NamedOperands& inputs);

}  // namespace webnn::inline v0_1::fuzz
