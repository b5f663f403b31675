// The bodies of If, Loop and Scan. Private.
#pragma once

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

/// Imports a subgraph, which sees the values around it. Returns the values of its outputs.
std::vector<Value> run_subgraph(Call& c, const GraphProto& graph, std::span<const Value> inputs,
                                std::string_view what);

/// The only element of an input, as a scalar.
MLOperand scalar_of(Call& c, std::size_t i, MLOperandDataType type);

/// If whose condition follows from data: both branches are computed and `where` chooses, or one of
/// them runs where they have much to compute.
void branch_on_data(Call& c, const GraphProto& then_branch, const GraphProto& else_branch);
/// Loop whose number of iterations, or whose condition, follows from data: states keep their
/// shapes, and each run has as many iterations as its data asks for.
void loop_on_data(Call& c, const GraphProto& body, std::size_t carried);

/// Loop whose number of iterations, or whose condition, follows from open sizes.
void loop_on_sizes(Call& c, const GraphProto& body, std::size_t carried);
/// Scan along a dimension that is open. `states`: how many of its inputs are states.
void scan_on_sizes(Call& c, const GraphProto& body, std::size_t states);

}  // namespace webnn::inline v0_1::onnx
