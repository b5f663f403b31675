// Weights of quantized operators that no backend runs on integers become floats.
#include <algorithm>
#include <array>

#include "src/kernels/reference/evaluate.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn {

std::optional<Graph> fold_dequantized_weights(const Graph& graph, std::span<const Node> unfused,
                                              std::span<const Node> fused) {
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;  // of floats in all
  std::vector<const void*> folded, kept;
  std::uint64_t bytes = 0;
  for (const Node& node : unfused) {
    bytes += byte_length(node.output().descriptor());
    if (bytes <= max_bytes) folded.push_back(node.op());
  }
  if (folded.empty()) return std::nullopt;
  for (const Node& node : fused) kept.push_back(node.op());
  std::sort(kept.begin(), kept.end());
  std::sort(folded.begin(), folded.end());
  Rewriter to(graph);
  std::vector<std::array<MLOperand, 3>> results;  // in the old graph, computed, folded
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    const bool stays = std::binary_search(kept.begin(), kept.end(), node.op());
    for (const MLOperand& x : node.inputs())
      for (const auto& [old, computed, constant] : results)
        if (old.is(x)) to.replace(old, stays ? computed : constant);
    to.keep(i);
    if (!std::binary_search(folded.begin(), folded.end(), node.op())) continue;
    const MLOperand& y = node.output();
    results.push_back({y, to(y), to.constant(y.descriptor(), evaluate(node).front())});
  }
  for (const auto& [old, computed, constant] : results) to.replace(old, constant);
  return to.finish();
}

}  // namespace webnn
