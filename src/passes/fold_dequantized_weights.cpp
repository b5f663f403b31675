// Dequantizes the weights of quantized operators that no backend runs on integers.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "src/passes/evaluated.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

/// A bound for the floats in all: a gigabyte, and not much more than the integers are as floats;
/// those that several operators read count once.
std::uint64_t max_float_bytes(std::span<const Node> nodes) {
  constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30, free_growth = std::uint64_t{64} << 20;
  constexpr std::uint64_t max_growth = 8;  // from 4 to 32 bits
  SeenConstants seen;
  std::uint64_t bytes = 0;
  for (const Node& node : nodes)
    if (const MLOperand x = node.input(0); x.constant() && seen.insert(*x.constant()))
      bytes += byte_length(x.descriptor());
  return std::min(max_bytes, free_growth + max_growth * bytes);
}

Constant folded_result(const Graph& graph, std::size_t i) {
  const NodeData& node = data_of(graph).nodes[i];
  std::vector<Constant> operands;
  for (const MLOperand* x : operands_of(node.op.kind(), node.op.get()))
    operands.push_back(*x->constant());
  return evaluated(data_of(graph), node, operands);
}

}  // namespace

std::optional<Graph> fold_dequantized_weights(const Graph& graph, std::span<const Node> unfused,
                                              std::span<const Node> fused) {
  std::vector<const void*> folded, kept;
  std::uint64_t bytes = 0;
  const std::uint64_t max_bytes = max_float_bytes(unfused);
  for (const Node& node : unfused) {
    const std::uint64_t more = byte_length(node.output().descriptor());
    if (more > max_bytes - bytes) continue;
    bytes += more;
    folded.push_back(node.op());
  }
  if (folded.empty()) return std::nullopt;
  for (const Node& node : fused) kept.push_back(node.op());
  std::sort(kept.begin(), kept.end());
  std::sort(folded.begin(), folded.end());
  Rewriter to(graph);
  struct Result {
    MLOperand old, computed, constant;
  };
  std::unordered_map<std::uint32_t, Result> results;  // by the id of `old`
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    const bool stays = std::binary_search(kept.begin(), kept.end(), node.op());
    for (const MLOperand& x : node.inputs())
      if (const auto found = results.find(x.record().id); found != results.end())
        to.replace(x, stays ? found->second.computed : found->second.constant);
    to.keep(i);
    if (!std::binary_search(folded.begin(), folded.end(), node.op())) continue;
    const MLOperand& y = node.output();
    results.emplace(y.record().id,
                    Result{y, to(y), to.constant(y.descriptor(), folded_result(graph, i))});
  }
  for (const auto& [id, result] : results) to.replace(result.old, result.constant);
  return to.finish();
}

}  // namespace webnn::inline v0_1
