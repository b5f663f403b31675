// Graphs that a fuzzer makes, run where they are small.
#pragma once

#include "src/builder/builder_state.h"
#include "webnn/webnn.h"

namespace webnn::fuzz {

/// Every value of a small graph is small.
inline bool is_small(const MLGraphBuilder& builder, const NamedOperands& outputs) {
  constexpr std::uint64_t max_elements = 4096;
  constexpr std::size_t max_operators = 16;
  const Graph graph = graph_of(copy(detail::state_of(builder)->data, outputs));
  if (graph.size() > max_operators) return false;
  for (std::size_t i = 0; i < graph.operand_count(); ++i)
    if (element_count(graph.operand(i).shape()) > max_elements) return false;
  return true;
}

inline void compute(MLContext& context, const MLGraph& graph) {
  std::vector<std::vector<std::byte>> memory;
  std::vector<NamedInput> inputs;
  std::vector<NamedOutput> outputs;
  for (const auto& [name, d] : graph.inputs()) {
    memory.emplace_back(byte_length(d), std::byte{1});
    inputs.push_back({name, memory.back()});
  }
  for (const auto& [name, d] : graph.outputs()) {
    memory.emplace_back(byte_length(d));
    outputs.push_back({name, memory.back()});
  }
  context.compute(graph, std::span<const NamedInput>(inputs),
                  std::span<const NamedOutput>(outputs));
}

}  // namespace webnn::fuzz
