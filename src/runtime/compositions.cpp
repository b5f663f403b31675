#include "src/runtime/compositions.h"

#include <algorithm>

#include "src/kernels/backends.h"
#include "src/passes/rewriter.h"
#include "src/runtime/chains.h"

namespace webnn::inline v0_1 {

bool knows_fused(const Backend& backend) {
  return dynamic_cast<const VersionedBackend*>(&backend) != nullptr;
}

bool Compositions::runs(const Backend& backend, const Node& fused) {
  if (!expansion_) {
    expansion_ = expand(graph_);
    readers_ = reader_counts(expansion_->graph);
  }
  std::vector<Node> nodes;
  for (const std::size_t place : expansion_->places[fused.output().record().producer])
    nodes.push_back(expansion_->graph.node(place));
  if (!is_chain(nodes)) return false;
  const Lowering lowering = lower_checked(backend, nodes);
  const auto* kernel = std::get_if<Candidate>(&lowering);
  return kernel && kernel->fallback_reason.empty();
}

/// Whether each operator is the only reader of the one before it.
bool Compositions::is_chain(Chain nodes) {
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const MLOperand& x = nodes[i - 1].output();
    const std::vector<MLOperand> inputs = nodes[i].inputs();
    const bool read = std::ranges::any_of(inputs, [&](const MLOperand& y) { return y.is(x); });
    if (!read || readers_[x.record().id] != 1) return false;
  }
  return true;
}

}  // namespace webnn::inline v0_1
