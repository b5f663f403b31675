#include "src/graph/fused/expand.h"

#include <algorithm>
#include <numeric>

#include "src/graph/fused/composer.h"

namespace webnn::inline v0_1 {
namespace {

/// The result of the composition of a fused operator whose operands belong to the graph.
MLOperand compose(GraphData& to, const Op& op) {
  using Compose = MLOperand (*)(const void*, fused::Composer&);
  static constexpr auto table = []<class... T>(ops::OpList<T...>) {
    return std::array<Compose, sizeof...(T)>{[](const void* p, fused::Composer& composer) {
      return compose(*static_cast<const T*>(p), composer);
    }...};
  }(fused::Operators{});
  fused::Composer composer(to);
  return table[op.kind() - ops::DeclaredOps::size](op.get(), composer);
}

}  // namespace

bool has_fused(const Graph& graph) {
  return std::ranges::any_of(data_of(graph).nodes,
                             [](const NodeData& node) { return is_fused(node.op.kind()); });
}

Expansion expand(const Graph& graph) {
  std::vector<std::size_t> all(graph.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return expand(graph, all);
}

Expansion expand(const Graph& graph, std::span<const std::size_t> places) {
  if (!has_fused(graph)) return {graph};
  std::vector<bool> chosen(graph.size());
  for (const std::size_t i : places) chosen[i] = is_fused(graph.node(i).kind());
  std::vector<std::vector<std::size_t>> now(graph.size());
  const auto data = copy(data_of(graph), graph.outputs(),
                         [&](GraphData& to, const Op& op, const NodeData& old) -> MLOperand {
                           const std::size_t i = old.outputs.front().record().producer;
                           const std::size_t begin = to.nodes.size();
                           MLOperand y = chosen[i] ? compose(to, op) : MLOperand();
                           const std::size_t end = chosen[i] ? to.nodes.size() : begin + 1;
                           for (std::size_t k = begin; k < end; ++k) now[i].push_back(k);
                           return y;
                         });
  return {graph_of(data), std::move(now)};
}

}  // namespace webnn::inline v0_1
