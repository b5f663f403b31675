// Memory for the inputs and outputs of a graph, and runs on it.
#pragma once

#include <vector>

#include "webnn/webnn.h"

namespace webnn::inline v0_1::bench {

/// Zeros until they are written. The graph has no open dimensions.
struct GraphMemory {
  std::vector<std::vector<std::byte>> inputs{}, outputs{};  ///< in the order of the graph's

  GraphMemory() = default;
  explicit GraphMemory(const MLGraph& graph) {
    for (const auto& [name, d] : graph.inputs()) inputs.emplace_back(byte_length(d));
    for (const auto& [name, d] : graph.outputs()) outputs.emplace_back(byte_length(d));
  }

  void compute(MLContext& context, const MLGraph& graph) {
    std::vector<NamedInput> in;
    std::vector<NamedOutput> out;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      in.push_back({graph.inputs()[i].name, inputs[i]});
    for (std::size_t i = 0; i < outputs.size(); ++i)
      out.push_back({graph.outputs()[i].name, outputs[i]});
    context.compute(graph, std::span<const NamedInput>(in), std::span<const NamedOutput>(out));
  }
};

}  // namespace webnn::inline v0_1::bench
