// Keeps one of several equal operators.
#include <unordered_map>

#include "src/graph/custom.h"
#include "src/graph/equality.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {

namespace {

/// If no two operators are equal, then none become equal either.
bool has_equal_operators(const Graph& graph) {
  std::unordered_multimap<std::size_t, const Op*> seen;
  for (const NodeData& node : data_of(graph).nodes) {
    if (node.outputs.size() != 1 || !is_pure(node.op)) continue;
    const std::size_t hash = hash_of(node.op);
    const auto [begin, end] = seen.equal_range(hash);
    for (auto i = begin; i != end; ++i)
      if (equal(*i->second, node.op)) return true;
    seen.emplace(hash, &node.op);
  }
  return false;
}

}  // namespace

Graph eliminate_common_subexpressions(const Graph& graph) {
  if (!has_equal_operators(graph)) return graph;
  std::unordered_multimap<std::size_t, std::pair<Op, MLOperand>> seen;
  const auto change = [&](GraphData& to, const Op& copied, const NodeData& original) {
    if (original.outputs.size() != 1 || !is_pure(copied)) return std::vector<MLOperand>();
    const std::size_t hash = hash_of(copied);
    const auto [begin, end] = seen.equal_range(hash);
    for (auto i = begin; i != end; ++i)
      if (equal(i->second.first, copied)) return std::vector{i->second.second};
    const MLOperand y = to.add(copied, {original.outputs.front().descriptor()}).front();
    seen.emplace(hash, std::pair(copied, y));
    return std::vector{y};
  };
  return graph_of(copy(data_of(graph), graph.outputs(), change));
}

}  // namespace webnn::inline v0_1
