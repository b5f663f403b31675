// Moves reshapes behind element-wise operators, where another reshape follows: the two become one,
// or none. Convolutions in one dimension, which are written as images between reshapes, then follow
// one another, and need no transposition between them.
#include "src/graph/traits.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

/// Operators whose result at a place depends on their operands at this place alone. Scales and zero
/// points lie along the dimensions of what they quantize.
bool keeps_places(const Node& node) {
  return traits_of(node).element_wise && !as<ops::quantizeLinear>(node) &&
         !as<ops::dequantizeLinear>(node);
}

class MoveReshapes {
 public:
  explicit MoveReshapes(const Graph& graph)
      : graph_(graph),
        to_(graph),
        reshaped_(graph.operand_count(), false),
        is_output_(graph.operand_count(), false),
        base_(graph.operand_count()) {}

  Graph run() {
    find_reshaped();
    if (!has_pairs()) return graph_;
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const Node node = graph_.node(i);
      if (const auto* op = as<ops::reshape>(node)) reshape(i, *op, node.output());
      else if (!move(i, node)) to_.keep(i);
    }
    return changed_ ? to_.finish() : graph_;
  }

 private:
  /// What a reshape reads, perhaps behind element-wise operators.
  void find_reshaped() {
    for (const auto& [name, x] : graph_.outputs()) is_output_[x.record().id] = true;
    for (std::size_t i = graph_.size(); i-- > 0;) {
      const Node node = graph_.node(i);
      if (!as<ops::reshape>(node) && !(keeps_places(node) && reshaped_[node.output().record().id]))
        continue;
      for (const MLOperand& x : node.inputs()) reshaped_[x.record().id] = true;
    }
  }

  /// Whether a reshape reads the result of another one, perhaps behind element-wise operators.
  bool has_pairs() const {
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (const Node node = graph_.node(i);
          as<ops::reshape>(node) && reshaped_[node.output().record().id])
        return true;
    return false;
  }

  /// The operand of the new graph with the elements of an old one before its reshape.
  MLOperand base_of(const MLOperand& x) {
    const MLOperand& base = base_[x.record().id];
    return base ? base : to_(x);
  }

  void reshape(std::size_t i, const ops::reshape& op, const MLOperand& y) {
    const bool behind_another = bool(base_[op.input.record().id]);
    const MLOperand base = base_of(op.input);
    base_[y.record().id] = base;
    if (!behind_another) return to_.keep(i);
    changed_ = true;
    // Each output keeps an operator that makes it.
    if (base.shape() == y.shape() && !is_output_[y.record().id]) return to_.replace(y, base);
    put_reshape(base, y, op.options);
  }
  void put_reshape(const MLOperand& base, const MLOperand& y, const MLOperatorOptions& options) {
    to_.replace(y, to_.add(ops::reshape{base, y.shape(), options}, y.descriptor()));
  }

  /// An element-wise operator whose operands are reshaped from one shape, or have one element.
  bool move(std::size_t i, const Node& node) {
    if (!keeps_places(node)) return false;
    const MLOperand& y = node.output();
    if (!reshaped_[y.record().id]) return false;
    std::optional<Dims> shape;
    const auto inputs = node.inputs();
    for (const MLOperand& x : inputs) {
      const MLOperand& base = base_[x.record().id];
      if (!base || x.shape() != y.shape()) continue;
      if (shape && *shape != base.shape()) return false;
      shape = base.shape();
    }
    if (!shape) return false;
    const auto fits = [&](const MLOperand& x) {
      if (base_[x.record().id] && x.shape() == y.shape()) return true;
      return element_count(x.shape()) == 1 && x.shape().size() <= shape->size();
    };
    if (!std::all_of(inputs.begin(), inputs.end(), fits)) return false;
    Op op = data_of(graph_).nodes[i].op.clone();
    for (MLOperand* x : op.operands()) *x = x->shape() == y.shape() ? base_of(*x) : to_(*x);
    const MLOperand moved =
        to_.add_op(std::move(op), {{.dataType = y.dataType(), .shape = *shape}}).front();
    base_[y.record().id] = moved;
    put_reshape(moved, y, {});
    changed_ = true;
    return true;
  }

  const Graph& graph_;
  Rewriter to_;
  std::vector<bool> reshaped_, is_output_;  // by operand
  std::vector<MLOperand> base_;             // by operand of the old graph
  bool changed_ = false;
};

}  // namespace

Graph move_reshapes(const Graph& graph) {
  return has_any<ops::reshape>(graph) ? MoveReshapes(graph).run() : graph;
}

}  // namespace webnn::inline v0_1
