// Operators that become one operator of a format: with what the format fuses behind them, and with
// the dequantizeLinear before and the quantizeLinear behind. Private.
#pragma once

#include <cmath>
#include <map>

#include "src/formats/common/quantizer.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1::formats {

template <class Fused> struct Group {
  std::size_t op = 0;    ///< the operator itself
  std::size_t last = 0;  ///< the one whose result the group has
  Fused fused{};
  std::optional<Quantizer> quantizer{};  ///< that of the result of a quantized group
};

template <class Fused> struct Groups {
  std::map<std::size_t, Group<Fused>> by_last{};
  std::vector<bool> absorbed{};  ///< by operator: part of a group, and not its last
};

inline bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

/// Conditions on the operands of an operator whose result is quantized.
class QuantizedOperands {
 public:
  /// `fused`: something follows that must be fused.
  QuantizedOperands(const Graph& graph, MLOperandDataType type, const Quantizer& out, bool fused)
      : graph_(graph), type_(type), out_(out), fused_(fused) {}

 protected:
  struct Elements {
    MLOperandDataType type{};
    Quantizer q{};
  };

  std::optional<Elements> elements(const MLOperand& x) const {
    const auto* op = dequantized(graph_, x);
    if (!op) return std::nullopt;
    return Elements{op->input.dataType(), *quantizer_of(op->input, op->scale, op->zeroPoint)};
  }
  /// Elements of the result's type with one quantization.
  std::optional<Elements> plain(const MLOperand& x) const {
    auto e = elements(x);
    return e && e->type == type_ && e->q.per_tensor() ? e : std::nullopt;
  }
  bool any(const MLOperand& x) const { return plain(x).has_value(); }
  bool same(const MLOperand& x) const {
    const auto e = plain(x);
    return e && e->q == out_;
  }
  bool alone(bool yes) const { return yes && !fused_; }
  bool fixed(const MLOperand& x, double scale, int signed_zero, int unsigned_zero) const {
    const int zero = type_ == int8 ? signed_zero : unsigned_zero;
    return alone(any(x) && near(out_.scale[0], scale) && out_.zero_point[0] == zero);
  }
  static bool symmetric(const Quantizer& q) {
    return std::all_of(q.zero_point.begin(), q.zero_point.end(), [](auto z) { return z == 0; });
  }
  bool bias(const std::optional<MLOperand>& b, const MLOperand& x, const MLOperand& filter) const {
    if (!b) return true;
    if (b->constant()) return b->dataType() == float32;  // becomes int32
    const auto e = elements(*b);
    if (!e || e->type != int32) return false;
    const auto input = elements(x), weight = elements(filter);
    const std::size_t n = std::max(e->q.scale.size(), weight->q.scale.size());
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = [&](const Quantizer& q) { return double{q.scale[q.per_tensor() ? 0 : i]}; };
      if (!near(at(e->q), input->q.scale[0] * at(weight->q))) return false;
    }
    return symmetric(e->q);
  }
  /// Whether c is one value for each column of the product.
  static bool is_row(const ops::gemm& op) {
    const auto& o = op.options;
    const std::uint32_t columns = op.b.shape()[o.bTranspose ? 0 : 1];
    const bool row = !o.c || (o.c->rank() > 0 && o.c->shape().back() == columns &&
                              element_count(o.c->shape()) == columns);
    return o.alpha == 1 && o.beta == 1 && row;
  }

  const Graph& graph_;
  MLOperandDataType type_;
  Quantizer out_;
  bool fused_;
};

/// A Format has
///   Fused                                        what it fuses behind an operator
///   static std::optional<Fused> fused(node)      the same of an operator that may be fused
///   static bool fuses(node)                      whether an operator takes one
///   static bool folds(graph, type, quantizer, fused, node)
///                                                whether it has the operator with a result of that
///                                                type and quantization
template <class Format> class GroupFinder {
 public:
  using Fused = typename Format::Fused;

  explicit GroupFinder(const Graph& graph) : graph_(graph), readers_(reader_counts(graph)) {}

  Groups<Fused> run() {
    found_.absorbed.assign(graph_.size(), false);
    for (std::size_t i = 0; i < graph_.size(); ++i) quantized(i);
    for (std::size_t i = 0; i < graph_.size(); ++i) fused(i);
    return std::move(found_);
  }

 private:
  /// The operator that alone makes x for a single reader.
  std::optional<std::size_t> only(const MLOperand& x) const {
    if (x.record().kind != OperandKind::result || readers_[x.record().id] != 1) return std::nullopt;
    const std::size_t i = x.record().producer;
    const Node node = graph_.node(i);
    if (node.outputs().size() != 1 || found_.absorbed[i] || is_custom(node.kind()))
      return std::nullopt;
    return i;
  }
  void keep(const Group<Fused>& group, std::initializer_list<std::size_t> parts) {
    for (const std::size_t i : parts) found_.absorbed[i] = true;
    found_.absorbed[group.last] = false;
    found_.by_last.emplace(group.last, group);
  }

  void quantized(std::size_t last) {
    const auto* q = graph_.node(last).template as<ops::quantizeLinear>();
    if (!q || q->input.dataType() != float32) return;
    const MLOperandDataType type = q->zeroPoint.dataType();
    const auto quantizer = quantizer_of(q->input, q->scale, q->zeroPoint);
    if (!quantizer || !quantizer->per_tensor() || (type != int8 && type != uint8)) return;
    const auto before = only(q->input);
    if (!before) return;
    const Node node = graph_.node(*before);
    if (Format::folds(graph_, type, *quantizer, false, node))
      return keep({*before, last, {}, quantizer}, {*before});
    const auto what = Format::fused(node);
    if (!what) return;
    const auto op = only(node.input(0));
    if (op && Format::fuses(graph_.node(*op)) &&
        Format::folds(graph_, type, *quantizer, true, graph_.node(*op)))
      keep({*op, last, *what, quantizer}, {*op, *before});
  }

  void fused(std::size_t last) {
    if (found_.absorbed[last] || found_.by_last.contains(last)) return;
    const Node node = graph_.node(last);
    const auto what = Format::fused(node);
    if (!what) return;
    const auto before = only(node.input(0));
    if (before && !found_.by_last.contains(*before) && Format::fuses(graph_.node(*before)))
      keep({*before, last, *what, std::nullopt}, {*before});
  }

  const Graph& graph_;
  std::vector<std::size_t> readers_;
  Groups<Fused> found_{};
};

}  // namespace webnn::inline v0_1::formats
