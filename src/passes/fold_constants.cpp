// Replaces operators on constants by their results, unless the constants together become much
// larger. Weights of quantized operators stay, because a backend may compute with the integers, and
// small weights of others, because a backend may read them as they are stored.
#include <algorithm>
#include <unordered_set>

#include "src/kernels/reference/evaluate.h"
#include "src/passes/evaluated.h"
#include "src/passes/passes.h"
#include "src/passes/quantized_operators.h"
#include "src/passes/rewriter.h"
#include "src/passes/small_weights.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::uint64_t small = 1 << 20;         // bytes: below that, one result may be larger
constexpr std::uint64_t free_growth = 64 << 20;  // bytes, whatever the constants of the graph are

bool is_constant(const MLOperand& x) { return x.record().kind == OperandKind::constant; }

/// By operand: whether it follows from constants alone.
std::vector<bool> known_operands(const Graph& graph) {
  std::vector<bool> known(graph.operand_count());
  for (std::size_t i = 0; i < known.size(); ++i)
    known[i] = is_constant(graph.operand(static_cast<std::uint32_t>(i)));
  for (const NodeData& node : data_of(graph).nodes) {
    const auto operands = operands_of(node.op.kind(), node.op.get());
    const bool all = std::all_of(operands.begin(), operands.end(),
                                 [&](const MLOperand* x) { return known[x->record().id]; });
    for (const MLOperand& y : node.outputs) known[y.record().id] = all;
  }
  return known;
}

/// By operand: the dequantized weights of a quantized operator, and small weights of others.
std::vector<bool> kept_weights(const Graph& graph, Between between) {
  const QuantizedOperators quantized(graph, between);
  const std::vector<bool> known = known_operands(graph);
  std::vector<bool> weights = small_weights(graph);
  const auto keep = [&](const std::vector<std::size_t>& places) {
    for (std::size_t k : places)
      if (const Node node = graph.node(k); as<ops::dequantizeLinear>(node))
        if (const auto id = node.output().record().id; known[id]) weights[id] = true;
  };
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (const auto places = quantized.chain_around(i)) keep(*places);
    else if (const auto product = quantized.product_around(i)) keep(product->places);
  }
  return weights;
}

/// Bytes of the constants; what several of them share counts once.
std::uint64_t constant_bytes(const Graph& graph) {
  SeenConstants seen;
  std::uint64_t bytes = 0;
  for (const OperandRecord& r : data_of(graph).operands)
    if (r.constant && seen.insert(*r.constant)) bytes += byte_length(r.descriptor);
  return bytes;
}

bool has_work(const Graph& graph) {
  for (const NodeData& node : data_of(graph).nodes) {
    const auto operands = operands_of(node.op.kind(), node.op.get());
    if (!operands.empty() && std::all_of(operands.begin(), operands.end(),
                                         [](const MLOperand* x) { return is_constant(*x); }))
      return true;
  }
  return false;
}

class Folder {
 public:
  Folder(const Graph& graph, Between between)
      : graph_(graph),
        kept_(kept_weights(graph, between)),
        readers_(reader_counts(graph)),
        values_(graph.operand_count()),
        folded_(graph.size()),
        budget_(data_of(graph).folding_budget.value_or(free_growth + constant_bytes(graph))) {}

  Graph run() {
    for (std::size_t i = 0; i < graph_.size(); ++i) folded_[i] = fold(i);
    if (std::none_of(folded_.begin(), folded_.end(), [](bool folded) { return folded; }))
      return graph_;
    Rewriter to(graph_);
    to.set_folding_budget(budget_);
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const MLOperand& y = graph_.node(i).output();
      const auto& value = values_[y.record().id];
      if (!folded_[i]) to.keep(i);
      else if (value) to.replace(y, to.constant(y.descriptor(), *value));
    }
    return to.finish();
  }

 private:
  const Constant* value_of(const MLOperand& x) const {
    if (const Constant* c = x.constant()) return c;
    const auto& value = values_[x.record().id];
    return value ? &*value : nullptr;
  }

  bool fold(std::size_t i) {
    const NodeData& node = data_of(graph_).nodes[i];
    if (!can_evaluate(graph_.node(i))) return false;
    if (node.outputs.size() != 1 || kept_[node.outputs.front().record().id]) return false;
    const std::vector<const MLOperand*> operands = operands_of(node.op.kind(), node.op.get());
    if (operands.empty()) return false;
    std::uint64_t in = 0;
    std::vector<Constant> constants;
    for (const MLOperand* x : operands) {
      const Constant* value = value_of(*x);
      if (!value) return false;
      constants.push_back(*value);
      in += byte_length(x->descriptor());
    }
    const MLOperandDescriptor& result = node.outputs.front().descriptor();
    const std::uint64_t out = byte_length(result);
    const std::uint64_t released = release(operands);
    if (out > std::max(2 * in, small) || out > budget_ + released) {
      for (const MLOperand* x : operands) ++readers_[x->record().id];
      return false;
    }
    values_[node.outputs.front().record().id] = evaluated(data_of(graph_), node, constants);
    for (const MLOperand* x : operands)
      if (readers_[x->record().id] == 0) values_[x->record().id].reset();
    budget_ = budget_ + released - out;
    return true;
  }

  /// Takes a reader from each operand. Returns the bytes of those that have none left.
  std::uint64_t release(const std::vector<const MLOperand*>& operands) {
    std::uint64_t bytes = 0;
    for (const MLOperand* x : operands)
      if (--readers_[x->record().id] == 0) bytes += byte_length(x->descriptor());
    return bytes;
  }

  const Graph& graph_;
  std::vector<bool> kept_;
  std::vector<std::size_t> readers_;             // by operand: those that are not folded
  std::vector<std::optional<Constant>> values_;  // by operand: of folded operators
  std::vector<bool> folded_;                     // by operator
  std::uint64_t budget_;                         // bytes that constants may still grow
};

}  // namespace

Graph fold_constants(const Graph& graph) {
  return has_work(graph) ? Folder(graph, Between::transpose).run() : graph;
}
Graph fold_transposed_constants(const Graph& graph) {
  return has_work(graph) ? Folder(graph, Between::reshape).run() : graph;
}

}  // namespace webnn::inline v0_1
