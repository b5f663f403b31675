#include "src/formats/executorch/export/groups.h"

#include "src/formats/executorch/export/lower.h"

namespace webnn::inline v0_1::executorch::exporter {
namespace {

using formats::dequantized;

/// Which quantized nodes there are, and the conditions on their operands.
class Rules : formats::QuantizedOperands {
 public:
  using QuantizedOperands::QuantizedOperands;

  bool folds(const Node& node) const {
    return visit<ops::AllOps>([&](const auto& op) { return rule_of(op); }, node.kind(), node.op());
  }

 private:
  template <class Op> bool rule_of(const Op& op) const {
    if constexpr (requires { rule(op); }) return rule(op);
    else return false;
  }

  bool constant(const MLOperand& x) const {
    const auto* op = dequantized(graph_, x);
    return op && op->input.constant();
  }
  /// Constant, with zero at 0 when it has several scales, which int8 may.
  bool weights(const MLOperand& filter, std::int32_t channels) const {
    const auto e = elements(filter);
    if (!e || e->type != type_ || !constant(filter)) return false;
    if (e->q.per_tensor()) return type_ == uint8 || e->q.zero_point[0] == 0;
    return type_ == int8 && e->q.axis == channels && symmetric(e->q);
  }
  bool bias(const std::optional<MLOperand>& b, const MLOperand& x, const MLOperand& filter) const {
    return QuantizedOperands::bias(b, x, filter) && (!b || b->constant() || constant(*b));
  }

  bool rule(const ops::conv2d& op) const {
    using enum MLConv2dFilterOperandLayout;
    const auto layout = op.options.filterLayout;
    return any(op.input) && weights(op.filter, layout == hwio || layout == ihwo ? 3 : 0) &&
           bias(op.options.bias, op.input, op.filter);
  }
  bool rule(const ops::gemm& op) const {
    return is_row(op) && any(op.a) && weights(op.b, op.options.bTranspose ? 0 : 1) &&
           bias(op.options.c, op.a, op.b);
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
};

struct Nodes {
  using Fused = Limits;
  static std::optional<Limits> fused(const Node& node) { return limits_of(node); }
  /// Operators whose nodes have output_min_max.
  static bool fuses(const Node& op) {
    return op.as<ops::add>() || op.as<ops::sub>() || op.as<ops::mul>() || op.as<ops::div>() ||
           op.as<ops::conv2d>() || op.as<ops::convTranspose2d>() || op.as<ops::gemm>() ||
           op.as<ops::matmul>() || op.as<ops::averagePool2d>() || op.as<ops::maxPool2d>();
  }
  static bool folds(const Graph& graph, MLOperandDataType type, const Quantizer& out, bool limited,
                    const Node& node) {
    return Rules(graph, type, out, limited).folds(node);
  }
};

}  // namespace

Groups find_groups(const Graph& graph) { return formats::GroupFinder<Nodes>(graph).run(); }

}  // namespace webnn::inline v0_1::executorch::exporter
