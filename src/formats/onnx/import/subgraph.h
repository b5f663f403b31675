// The bodies of If, Loop and Scan. Private.
#pragma once

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

/// Imports a subgraph, which sees the values around it. Returns the values of its outputs.
std::vector<Value> run_subgraph(Call& c, const GraphProto& graph, std::span<const Value> inputs,
                                std::string_view what);

/// Loop whose number of iterations, or whose condition, follows from open sizes.
void loop_on_sizes(Call& c, const GraphProto& body, std::size_t carried);
/// Scan along a dimension that is open. `states`: how many of its inputs are states.
void scan_on_sizes(Call& c, const GraphProto& body, std::size_t states);

}  // namespace webnn::inline v0_1::onnx
