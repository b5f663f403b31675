// Computes float16, bfloat16 and float8e4m3 in float32, for which every backend has fast kernels,
// with casts at the inputs and outputs. Intermediate results are not rounded, except for operators
// that decide: comparisons, argMax, casts to other types and remainders read rounded values. So do
// those that read a cache, an input with new rows behind it that is an output too. In graphs of
// files with open dimensions, small values that follow from constants alone are rounded, as
// importers compute them where all sizes are known. Constants that are dequantized to float16, only
// to be cast to float32, stay so, because products can round the weights that they read.
#include <algorithm>

#include "src/graph/narrow_floats.h"
#include "src/graph/traits.h"
#include "src/kernels/common/small_weights.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

constexpr std::uint64_t small = 4096;  // elements: those that importers fold

class Widener {
 public:
  explicit Widener(const Graph& from)
      : from_(from),
        to_(from),
        wide_(from.operand_count()),
        unrounded_(from.operand_count()),
        rounded_(rounded_weights(from)),
        known_(from.operand_count()) {
    if (!data_of(from).relies_on_known_sizes) return;  // no importer made it
    for (std::size_t i = 0; i < known_.size(); ++i)
      known_[i] = data_of(from).operands[i].kind == OperandKind::constant;
  }

  Graph run() {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      const Node node = from_.node(i);
      if (follows_from_constants(node))
        for (const MLOperand& y : node.outputs()) known_[y.record().id] = true;
      const MLOperand& y = node.output(0);
      if (is_float32_of_rounded(node)) to_.replace(y, widened(node.input(0)));
      else if (widens(node)) widen(i);
      else keep_or_append(i);
    }
    for (const auto& [name, y] : from_.outputs()) narrow(y);
    return to_.finish();
  }

 private:
  /// Where a multiple of the divisor is rounded, the remainder jumps.
  static bool is_remainder(const Node& node) {
    return as<ops::modulusFloor>(node) || as<ops::modulusTruncate>(node);
  }
  /// By operand: the float16 of small weights that only casts to float32 read, perhaps transposed.
  static std::vector<bool> rounded_weights(const Graph& graph) {
    std::vector<bool> cast(graph.operand_count(), true);  // by nothing but casts to float32
    for (const auto& [name, y] : graph.outputs()) cast[y.record().id] = false;
    for (std::size_t i = graph.size(); i-- > 0;) {
      const Node node = graph.node(i);
      if (casts_to_float32(node)) continue;
      const bool moved = as<ops::transpose>(node) && cast[node.output(0).record().id];
      for (const MLOperand& x : node.inputs())
        if (!moved) cast[x.record().id] = false;
    }
    std::vector<bool> rounded(graph.operand_count());
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const Node node = graph.node(i);
      const std::uint32_t id = node.output(0).record().id;
      rounded[id] = as<ops::transpose>(node)
                        ? rounded[node.input(0).record().id]
                        : cast[id] && makes_float16(node) && expands_small_weights(node);
    }
    return rounded;
  }
  bool is_rounded(const MLOperand& x) const { return rounded_[x.record().id]; }
  bool is_float32_of_rounded(const Node& node) const {
    return casts_to_float32(node) && is_rounded(node.input(0));
  }
  static bool fits(const MLOperand& x) {
    return element_count(x.shape()) * sizeof(float) <= max_tensor_byte_length;
  }
  bool is_wide(const MLOperand& old) const { return bool{wide_[old.record().id]}; }
  /// What a run writes into the cache is narrow, and what was there before need not be cast.
  bool is_cache(const Node& node) const {
    const auto* concat = node.as<ops::concat>();
    if (!concat || concat->inputs.size() != 2) return false;
    const MLOperand& past = concat->inputs[0];
    return past.record().kind == OperandKind::input && !is_wide(past) &&
           std::ranges::any_of(from_.outputs(),
                               [&](const NamedOperand& y) { return y.operand.is(node.output()); });
  }

  /// Not those whose integers a kernel may read.
  bool follows_from_constants(const Node& node) const {
    if (as<ops::dequantizeLinear>(node) || is_custom(node.kind())) return false;
    const auto is_known = [&](const MLOperand& x) {
      return known_[x.record().id] && element_count(x.shape()) <= small;
    };
    const auto is_small = [&](const MLOperand& y) { return element_count(y.shape()) <= small; };
    return std::ranges::all_of(node.inputs(), is_known) &&
           std::ranges::all_of(node.outputs(), is_small);
  }

  bool widens(const Node& node) const {
    if (as<ops::cast>(node) || is_remainder(node) || is_custom(node.kind()) || is_cache(node) ||
        known_[node.output(0).record().id])
      return false;
    if (is_rounded(node.output(0))) return as<ops::transpose>(node) != nullptr;
    const DataTypes narrow = narrow_floats(node.kind());
    for (const MLOperand& y : node.outputs())
      if (!narrow.contains(y.dataType()) || !fits(y)) return false;
    // Operators that only move elements are as fast as in float32.
    bool follows = !traits_of(node).moves;
    for (const MLOperand& x : node.inputs()) {
      if (!narrow.contains(x.dataType())) continue;
      if (!fits(x)) return false;
      follows |= is_wide(x);
    }
    return follows;
  }

  const MLOperand& widened(const MLOperand& old) {
    MLOperand& wide = wide_[old.record().id];
    if (!wide) wide = to_.add(ops::cast{to_(old), float32}, {float32, old.shape()});
    return wide;
  }
  /// Rounds what was computed in float32, for readers of the narrow type.
  void narrow(const MLOperand& old) {
    const std::uint32_t id = old.record().id;
    if (!unrounded_[id]) return;
    unrounded_[id] = false;
    to_.replace(old, to_.add(ops::cast{wide_[id], old.dataType()}, old.descriptor()));
  }

  void keep(std::size_t i) {
    for (const MLOperand& x : from_.node(i).inputs()) narrow(x);
    to_.keep(i);
  }
  void keep_or_append(std::size_t i) {
    const Node node = from_.node(i);
    const bool appends = is_cache(node) && is_wide(node.inputs()[1]);
    keep(i);
    if (appends) widened(node.output());  // readers that move rows move those of float32
  }
  void widen(std::size_t i) {
    const NodeData& node = data_of(from_).nodes[i];
    Op op = node.op.clone();
    op.round_numbers(node.outputs.front().dataType());
    const DataTypes narrow = narrow_floats(op.kind());
    for (MLOperand* x : op.operands()) *x = narrow.contains(x->dataType()) ? widened(*x) : to_(*x);
    std::vector<MLOperandDescriptor> results;
    for (const MLOperand& y : node.outputs) results.push_back({float32, y.shape()});
    const auto made = to_.add_op(std::move(op), results);
    for (std::size_t k = 0; k < made.size(); ++k) {
      wide_[node.outputs[k].record().id] = made[k];
      unrounded_[node.outputs[k].record().id] = true;
    }
  }

  const Graph& from_;
  Rewriter to_;
  std::vector<MLOperand> wide_;  // by operand of the old graph: its float32
  std::vector<bool> unrounded_;  // whether the new graph has it in float32 only
  std::vector<bool> rounded_;    // small weights, which are rounded where they are read
  std::vector<bool> known_;      // of the old graph: small, and of constants alone
};

}  // namespace

Graph narrow_to_float32(const Graph& graph) {
  const auto& operands = data_of(graph).operands;
  const bool any = std::any_of(operands.begin(), operands.end(), [](const OperandRecord& r) {
    return is_narrow_float(r.descriptor.dataType);
  });
  return any ? Widener(graph).run() : graph;
}

}  // namespace webnn::inline v0_1
