// Gives each operator with small weights (a dequantizeLinear of constants, or a cast of float16
// constants) a dequantizeLinear or cast of its own, so that a backend is offered both as a chain
// and can read the weights as they are stored.
#include "src/passes/small_weights.h"

#include "src/kernels/common/small_weights.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

bool is_constant(const MLOperand& x) { return x.record().kind == OperandKind::constant; }

/// Whether fold_into_weights() can change the filter because of the operator that reads x.
bool changes_filter(const Node& node) {
  const auto with_constant = [](const auto* op) {
    return op && (is_constant(op->a) || is_constant(op->b));
  };
  return as<ops::batchNormalization>(node) || with_constant(as<ops::add>(node)) ||
         with_constant(as<ops::sub>(node)) || with_constant(as<ops::mul>(node)) ||
         with_constant(as<ops::div>(node));
}

class Finder {
 public:
  explicit Finder(const Graph& graph) : graph_(graph), readers_(graph.operand_count()) {
    for (std::size_t i = 0; i < graph.size(); ++i)
      for (const MLOperand& x : graph.node(i).inputs()) readers_[x.record().id].push_back(i);
    for (const auto& [name, x] : graph.outputs()) readers_[x.record().id].push_back(graph.size());
  }

  bool only_weights(const MLOperand& x, bool transposed = false) const {
    const auto& readers = readers_[x.record().id];
    for (std::size_t i : readers)
      if (i == graph_.size() || !reads_weights(graph_.node(i), x, transposed)) return false;
    return !readers.empty();
  }
  /// The casts that make float32 of small weights in float16, if only weights come from them.
  std::vector<MLOperand> casts_of(const MLOperand& x) const {
    std::vector<MLOperand> all;
    for (std::size_t i : readers_[x.record().id]) {
      if (i == graph_.size()) return {};
      const Node node = graph_.node(i);
      if (!casts_to_float32(node) || !only_weights(node.output())) return {};
      all.push_back(node.output());
    }
    return all;
  }

 private:
  bool reads_weights(const Node& node, const MLOperand& x, bool transposed) const {
    if (as<ops::transpose>(node)) return !transposed && only_weights(node.output(), true);
    const MLOperand* weights = small_weights_operand(node);
    if (!weights || !weights->is(x) || (transposed && as<ops::gather>(node))) return false;
    std::size_t count = 0;
    for (const MLOperand& operand : node.inputs()) count += operand.is(x);
    if (count != 1) return false;
    if (!as<ops::conv2d>(node)) return true;
    const auto& next = readers_[node.output().record().id];
    return next.size() != 1 || next[0] == graph_.size() || !changes_filter(graph_.node(next[0]));
  }

  const Graph& graph_;
  std::vector<std::vector<std::size_t>> readers_;  // by operand; the graph's size for an output
};

}  // namespace

std::vector<bool> small_weights(const Graph& graph) {
  std::vector<bool> small(graph.operand_count());
  if (!has_any<ops::dequantizeLinear, ops::cast>(graph)) return small;
  std::optional<Finder> finder;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    if (!expands_small_weights(node)) continue;
    if (!finder) finder.emplace(graph);
    const MLOperand& y = node.output();
    if (makes_float16(node)) {
      for (const MLOperand& wide : finder->casts_of(y))
        small[y.record().id] = small[wide.record().id] = true;
    } else {
      small[y.record().id] = finder->only_weights(y);
    }
  }
  return small;
}

Graph separate_small_weights(const Graph& graph) {
  const std::vector<bool> small = small_weights(graph);
  const std::vector<std::size_t> readers = reader_counts(graph);
  const auto is_shared = [&](const MLOperand& x) {
    return small[x.record().id] && readers[x.record().id] > 1;
  };
  bool any = false;
  for (std::size_t i = 0; i < graph.operand_count(); ++i) any |= is_shared(graph.operand(i));
  if (!any) return graph;
  Rewriter to(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    for (const MLOperand& x : node.inputs()) {
      if (!is_shared(x)) continue;
      const Node expands = graph.producer_of(x);
      if (const MLOperand from = expands.input(0); small[from.record().id])
        to.keep(from.record().producer);
      to.keep(x.record().producer);
    }
    to.keep(i);
  }
  return to.finish();
}

}  // namespace webnn::inline v0_1
