#include "src/formats/executorch/export/groups.h"

#include <cmath>

#include "src/formats/executorch/export/lower.h"
#include "src/passes/rewriter.h"

namespace webnn::executorch::exporter {
namespace {

using formats::dequantized;
using formats::quantizer_of;

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }

struct Elements {
  MLOperandDataType type{};
  Quantizer q{};
};

/// Which quantized nodes there are, and the conditions on their operands.
class Rules {
 public:
  Rules(const Graph& graph, MLOperandDataType type, const Quantizer& out, bool clamped)
      : graph_(graph), type_(type), out_(out), clamped_(clamped) {}

  bool folds(const Node& node) const {
    return visit([&](const auto& op) { return rule_of(op); }, node.kind(), node.op());
  }

 private:
  template <class Op> bool rule_of(const Op& op) const {
    if constexpr (requires { rule(op); }) return rule(op);
    else return false;
  }

  std::optional<Elements> elements(const MLOperand& x) const {
    const auto* op = dequantized(graph_, x);
    if (!op) return std::nullopt;
    return Elements{op->input.dataType(), *quantizer_of(op->input, op->scale, op->zeroPoint)};
  }
  /// Elements of the result's type with one quantization.
  bool any(const MLOperand& x) const {
    const auto e = elements(x);
    return e && e->type == type_ && e->q.per_tensor();
  }
  bool same(const MLOperand& x) const {
    const auto e = elements(x);
    return e && e->type == type_ && e->q == out_;
  }
  bool alone(bool yes) const { return yes && !clamped_; }
  bool fixed(const MLOperand& x, double scale, int signed_zero, int unsigned_zero) const {
    return alone(any(x) && near(out_.scale[0], scale) &&
                 out_.zero_point[0] == (type_ == int8 ? signed_zero : unsigned_zero));
  }
  /// Constant, with zero at 0 when it has several scales, which int8 may.
  bool weights(const MLOperand& filter, std::int32_t channels) const {
    const auto* op = dequantized(graph_, filter);
    const auto e = elements(filter);
    if (!e || e->type != type_ || !op->input.constant()) return false;
    if (e->q.per_tensor()) return type_ == uint8 || e->q.zero_point[0] == 0;
    return type_ == int8 && e->q.axis == channels &&
           std::all_of(e->q.zero_point.begin(), e->q.zero_point.end(),
                       [](auto z) { return z == 0; });
  }
  bool bias(const std::optional<MLOperand>& b, const MLOperand& x, const MLOperand& filter) const {
    if (!b) return true;
    if (b->constant()) return b->dataType() == float32;  // becomes int32
    const auto e = elements(*b);
    const auto* op = dequantized(graph_, *b);
    if (!e || e->type != int32 || !op->input.constant()) return false;
    const auto input = elements(x), weight = elements(filter);
    const std::size_t n = std::max(e->q.scale.size(), weight->q.scale.size());
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = [&](const Quantizer& q) { return double{q.scale[q.per_tensor() ? 0 : i]}; };
      if (!near(at(e->q), input->q.scale[0] * at(weight->q))) return false;
    }
    return std::all_of(e->q.zero_point.begin(), e->q.zero_point.end(),
                       [](auto z) { return z == 0; });
  }

  bool rule(const ops::conv2d& op) const {
    using enum MLConv2dFilterOperandLayout;
    const auto layout = op.options.filterLayout;
    return any(op.input) && weights(op.filter, layout == hwio || layout == ihwo ? 3 : 0) &&
           bias(op.options.bias, op.input, op.filter);
  }
  bool rule(const ops::gemm& op) const {
    const auto& o = op.options;
    const std::uint32_t columns = op.b.shape()[o.bTranspose ? 0 : 1];
    const bool row = !o.c || (o.c->rank() > 0 && o.c->shape().back() == columns &&
                              element_count(o.c->shape()) == columns);
    return o.alpha == 1 && o.beta == 1 && row && any(op.a) && weights(op.b, o.bTranspose ? 0 : 1) &&
           bias(o.c, op.a, op.b);
  }
  bool rule(const ops::matmul& op) const {
    return op.b.rank() == 2 && any(op.a) && weights(op.b, 1);
  }
  bool rule(const ops::add& op) const { return any(op.a) && any(op.b); }
  bool rule(const ops::sub& op) const { return any(op.a) && any(op.b); }
  bool rule(const ops::mul& op) const { return any(op.a) && any(op.b); }
  bool rule(const ops::relu& op) const { return alone(same(op.input)); }
  bool rule(const ops::clamp& op) const { return alone(same(op.input)); }
  bool rule(const ops::leakyRelu& op) const { return alone(any(op.input)); }
  bool rule(const ops::elu& op) const { return alone(type_ == int8 && any(op.input)); }
  bool rule(const ops::sigmoid& op) const { return fixed(op.input, 1.0 / 256, -128, 0); }
  bool rule(const ops::tanh& op) const { return fixed(op.input, 1.0 / 128, 0, 128); }
  bool rule(const ops::averagePool2d& op) const {
    return type_ == uint8 && same(op.input) && op.options.dilations == Dims{1, 1};
  }
  bool rule(const ops::maxPool2d& op) const { return same(op.input); }
  bool rule(const ops::reshape& op) const { return alone(same(op.input)); }
  bool rule(const ops::transpose& op) const { return alone(same(op.input)); }
  bool rule(const ops::slice& op) const { return alone(same(op.input)); }
  bool rule(const ops::pad& op) const {
    return alone(same(op.input) && op.options.mode == MLPaddingMode::constant);
  }
  bool rule(const ops::concat& op) const {
    return alone(std::all_of(op.inputs.begin(), op.inputs.end(),
                             [&](const MLOperand& x) { return same(x); }));
  }

  const Graph& graph_;
  MLOperandDataType type_;
  Quantizer out_;
  bool clamped_;
};

class Finder {
 public:
  explicit Finder(const Graph& graph) : graph_(graph), readers_(reader_counts(graph)) {}

  Groups run() {
    found_.absorbed.assign(graph_.size(), false);
    for (std::size_t i = 0; i < graph_.size(); ++i) quantized(i);
    for (std::size_t i = 0; i < graph_.size(); ++i) clamped(i);
    return std::move(found_);
  }

 private:
  /// The operator that alone makes x for a single reader.
  std::optional<std::size_t> only(const MLOperand& x) const {
    if (x.record().kind != OperandKind::result || readers_[x.record().id] != 1) return std::nullopt;
    const std::size_t i = x.record().producer;
    if (graph_.node(i).outputs().size() != 1 || found_.absorbed[i]) return std::nullopt;
    return i;
  }
  void keep(const Group& group, std::initializer_list<std::size_t> parts) {
    for (const std::size_t i : parts) found_.absorbed[i] = true;
    found_.absorbed[group.last] = false;
    found_.by_last.emplace(group.last, group);
  }

  void quantized(std::size_t last) {
    const auto* q = graph_.node(last).as<ops::quantizeLinear>();
    if (!q || q->input.dataType() != float32) return;
    const MLOperandDataType type = q->zeroPoint.dataType();
    const auto quantizer = quantizer_of(q->input, q->scale, q->zeroPoint);
    if (!quantizer || !quantizer->per_tensor() || (type != int8 && type != uint8)) return;
    const auto before = only(q->input);
    if (!before) return;
    const Node node = graph_.node(*before);
    if (Rules(graph_, type, *quantizer, false).folds(node))
      return keep({*before, last, {}, quantizer}, {*before});
    const auto limits = limits_of(node);
    if (!limits) return;
    const auto op = only(node.input(0));
    if (op && limited(graph_.node(*op)) &&
        Rules(graph_, type, *quantizer, true).folds(graph_.node(*op)))
      keep({*op, last, *limits, quantizer}, {*op, *before});
  }

  /// Operators whose nodes have output_min_max.
  static bool limited(const Node& op) {
    return op.as<ops::add>() || op.as<ops::sub>() || op.as<ops::mul>() || op.as<ops::div>() ||
           op.as<ops::conv2d>() || op.as<ops::convTranspose2d>() || op.as<ops::gemm>() ||
           op.as<ops::matmul>() || op.as<ops::averagePool2d>() || op.as<ops::maxPool2d>();
  }

  void clamped(std::size_t last) {
    if (found_.absorbed[last] || found_.by_last.contains(last)) return;
    const Node node = graph_.node(last);
    const auto limits = limits_of(node);
    if (!limits) return;
    const auto before = only(node.input(0));
    if (!before || found_.by_last.contains(*before) || !limited(graph_.node(*before))) return;
    keep({*before, last, *limits, std::nullopt}, {*before});
  }

  const Graph& graph_;
  std::vector<std::size_t> readers_;
  Groups found_{};
};

}  // namespace

Groups find_groups(const Graph& graph) { return Finder(graph).run(); }

}  // namespace webnn::executorch::exporter
