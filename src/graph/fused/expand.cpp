#include "src/graph/fused/expand.h"

#include <algorithm>
#include <numeric>

#include "src/graph/fused/composer.h"

namespace webnn::inline v0_1 {
namespace {

/// Not the operators of graphs with open dimensions, which sizes decide.
constexpr bool has_composition(std::size_t kind) {
  return is_fused(kind) && kind < ops::GraphOps::size + fused::Operators::size;
}

std::vector<MLOperand> composition(const Op& op, fused::Composer& composer) {
  using Compose = std::vector<MLOperand> (*)(const void*, fused::Composer&);
  static constexpr auto table = []<class... T>(ops::OpList<T...>) {
    return std::array<Compose, sizeof...(T)>{[](const void* p, fused::Composer& to) {
      return fused::composition(*static_cast<const T*>(p), to);
    }...};
  }(fused::Operators{});
  return table[op.kind() - ops::GraphOps::size](op.get(), composer);
}

/// A copy of a graph in which some operators become their compositions.
class Expander {
 public:
  Expander(const Graph& graph, const std::vector<bool>& chosen)
      : chosen_(chosen), places_(graph.size()) {}

  std::vector<MLOperand> operator()(GraphData& to, const Op& op, const NodeData& old) {
    std::vector<std::size_t>& places = places_[old.outputs.front().record().producer];
    fused::Composer composer(to, dequantized_);
    std::vector<MLOperand> results;
    if (chosen_[old.outputs.front().record().producer]) {
      results = composition(op, composer);
    } else if (const auto* dequantize = op.as<ops::dequantizeLinear>()) {
      results = {composer.dequantized(*dequantize)};
    } else {
      composer.places = {to.nodes.size()};
    }
    places = std::move(composer.places);
    return results;
  }
  std::vector<std::vector<std::size_t>> places() { return std::move(places_); }

 private:
  const std::vector<bool>& chosen_;
  std::vector<std::vector<std::size_t>> places_;
  fused::Dequantized dequantized_{};  // so that those that several operators read stay one
};

}  // namespace

bool has_fused(const Graph& graph) {
  return std::ranges::any_of(data_of(graph).nodes,
                             [](const NodeData& node) { return has_composition(node.op.kind()); });
}

Expansion expand(const Graph& graph) {
  std::vector<std::size_t> all(graph.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return expand(graph, all);
}

Expansion expand(const Graph& graph, std::span<const std::size_t> places) {
  if (!has_fused(graph)) return {graph};
  std::vector<bool> chosen(graph.size());
  for (const std::size_t i : places) chosen[i] = has_composition(graph.node(i).kind());
  Expander expander(graph, chosen);
  const auto data = copy(data_of(graph), graph.outputs(), std::ref(expander));
  return {graph_of(data), expander.places()};
}

void compose(GraphData& to, const Op& fused) {
  fused::Composer composer(to);
  composition(fused, composer);
}

}  // namespace webnn::inline v0_1
