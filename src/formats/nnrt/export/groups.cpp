#include "src/formats/nnrt/export/groups.h"

#include <algorithm>
#include <numeric>

namespace webnn::inline v0_1::nnrt::exporter {
namespace {

using formats::dequantized;
using webnn::Node;

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

  /// Constant, with several scales only along the outputs.
  bool weights(const MLOperand& filter, std::int32_t outputs) const {
    const auto* op = dequantized(graph_, filter);
    const auto e = elements(filter);
    return op && op->input.constant() && e->type == type_ &&
           (e->q.per_tensor() || e->q.axis == outputs);
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
  bool rule(const ops::matmul& op) const { return any(op.a) && any(op.b); }
  bool rule(const ops::add& op) const { return any(op.a) && any(op.b); }
  bool rule(const ops::sub& op) const { return any(op.a) && any(op.b); }
  bool rule(const ops::mul& op) const { return any(op.a) && any(op.b); }
  bool rule(const ops::div& op) const { return any(op.a) && any(op.b); }
  bool rule(const ops::averagePool2d& op) const {
    return any(op.input) && op.options.dilations == Dims{1, 1};
  }
  bool rule(const ops::maxPool2d& op) const {
    return same(op.input) && op.options.dilations == Dims{1, 1};
  }
  bool rule(const ops::relu& op) const { return alone(any(op.input)); }
  bool rule(const ops::clamp& op) const { return alone(any(op.input)); }
  bool rule(const ops::leakyRelu& op) const { return alone(any(op.input)); }
  bool rule(const ops::elu& op) const { return alone(any(op.input)); }
  bool rule(const ops::hardSwish& op) const { return alone(any(op.input)); }
  bool rule(const ops::sigmoid& op) const { return alone(any(op.input)); }
  bool rule(const ops::softmax& op) const { return alone(any(op.input)); }
  bool rule(const ops::tanh& op) const { return alone(any(op.input)); }
  bool rule(const ops::reduceMean& op) const {
    return alone(any(op.input) && op.input.rank() > 0 &&
                 (!op.options.axes || !op.options.axes->empty()));
  }
};

struct Nodes {
  using Fused = ActivationType;
  static std::optional<ActivationType> fused(const Node& node) {
    if (!types::floats.contains(node.output().dataType())) return std::nullopt;
    if (node.as<ops::relu>()) return ActivationType::ACTIVATION_TYPE_RELU;
    const auto* clamp = node.as<ops::clamp>();
    if (!clamp || !clamp->options.minValue || !clamp->options.maxValue) return std::nullopt;
    if (clamp->options.minValue->as_double() != 0 || clamp->options.maxValue->as_double() != 6)
      return std::nullopt;
    return ActivationType::ACTIVATION_TYPE_RELU6;
  }
  /// Operators whose node, or the last of their nodes, has an activation.
  static bool fuses(const Node& op) {
    return op.as<ops::add>() || op.as<ops::sub>() || op.as<ops::mul>() || op.as<ops::div>() ||
           op.as<ops::conv2d>() || op.as<ops::convTranspose2d>() || op.as<ops::gemm>() ||
           op.as<ops::matmul>() || op.as<ops::averagePool2d>() || op.as<ops::maxPool2d>();
  }
  static bool folds(const Graph& graph, MLOperandDataType type, const Quantizer& out, bool followed,
                    const Node& node) {
    return Rules(graph, type, out, followed).folds(node);
  }
};

/// Whether its results are elements of its first operand, or of all of them.
bool moves(const Node& n) {
  if (const auto* op = n.as<ops::pad>()) return op->options.mode != MLPaddingMode::constant;
  if (const auto* op = n.as<ops::resample2d>())
    return op->options.mode == MLInterpolationMode::nearest_neighbor;
  return n.as<ops::concat>() || n.as<ops::expand>() || n.as<ops::gather>() ||
         n.as<ops::gatherElements>() || n.as<ops::gatherND>() || n.as<ops::identity>() ||
         n.as<ops::maxPool2d>() || n.as<ops::reshape>() || n.as<ops::reverse>() ||
         n.as<ops::slice>() || n.as<ops::split>() || n.as<ops::tile>() || n.as<ops::transpose>();
}

/// The tensors of 8-bit elements between which only movement lies have one quantization, or none.
class Scales {
 public:
  explicit Scales(const Graph& graph) : parent_(graph.operand_count()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (std::size_t i = 0; i < graph.size(); ++i) join(graph.node(i));
    sets_.resize(parent_.size());
    for (std::uint32_t id = 0; id < parent_.size(); ++id) ++sets_[root(id)].tensors;
    for (std::size_t i = 0; i < graph.size(); ++i) claim(graph.node(i));
  }
  std::optional<Quantizer> of(std::uint32_t id) {
    const Set& set = sets_[root(id)];
    return set.mixed ? std::nullopt : set.quantizer;
  }

 private:
  struct Set {
    std::size_t tensors = 0;
    std::optional<Quantizer> quantizer{};
    bool mixed = false;  // or not of one quantization at all
  };

  static bool is_quantized(const MLOperand& x) { return bits_of(x.dataType()) == 8; }
  std::uint32_t root(std::uint32_t id) {
    while (parent_[id] != id) id = parent_[id] = parent_[parent_[id]];
    return id;
  }
  void join(const Node& n) {
    if (!moves(n) || !is_quantized(n.output())) return;
    const std::uint32_t to = root(n.input(0).record().id);
    const auto with = [&](const MLOperand& x) { parent_[root(x.record().id)] = to; };
    for (const MLOperand& y : n.outputs()) with(y);
    if (n.as<ops::concat>())
      for (const MLOperand& x : n.inputs()) with(x);
  }
  void claim(const MLOperand& x, std::optional<Quantizer> q) {
    Set& set = sets_[root(x.record().id)];
    if (!q || (set.quantizer && *set.quantizer != *q) || (!q->per_tensor() && set.tensors > 1))
      set.mixed = true;
    set.quantizer = std::move(q);
  }
  void claim(const Node& n) {
    if (const auto* op = n.as<ops::quantizeLinear>(); op && is_quantized(n.output()))
      claim(n.output(), formats::quantizer_of(op->input, op->scale, op->zeroPoint));
    const auto* dequantize = n.as<ops::dequantizeLinear>();
    const auto inputs = n.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const MLOperand& x = inputs[i];
      if (!is_quantized(x) || (moves(n) && (i == 0 || n.as<ops::concat>()))) continue;
      const bool elements = dequantize && i == 0;
      claim(x, elements ? formats::quantizer_of(x, dequantize->scale, dequantize->zeroPoint)
                        : std::nullopt);
    }
  }

  std::vector<std::uint32_t> parent_;
  std::vector<Set> sets_{};
};

/// Whether all tensors of a group have the scales that it needs.
bool fits(const Graph& graph, const Group& group,
          const std::vector<std::optional<Quantizer>>& quantizers) {
  if (!group.quantizer) return true;
  const auto has = [&](const MLOperand& x, const Quantizer& q) {
    const auto& known = quantizers[x.record().id];
    return x.constant() || (known && *known == q);
  };
  for (const MLOperand& x : graph.node(group.op).inputs())
    if (const auto* op = dequantized(graph, x);
        op && !has(op->input, *formats::quantizer_of(op->input, op->scale, op->zeroPoint)))
      return false;
  return has(graph.node(group.last).output(), *group.quantizer);
}

}  // namespace

Groups find_groups(const Graph& graph) {
  Groups groups = formats::GroupFinder<Nodes>(graph).run();
  const auto quantizers = find_quantizers(graph);
  for (auto g = groups.by_last.begin(); g != groups.by_last.end();) {
    if (fits(graph, g->second, quantizers)) {
      ++g;
      continue;
    }
    groups.absorbed[g->second.op] = false;
    groups.absorbed[graph.node(g->first).input(0).record().producer] = false;
    g = groups.by_last.erase(g);
  }
  return groups;
}

std::vector<QuantParam> params_of(const Quantizer& q, MLOperandDataType type) {
  std::vector<QuantParam> all;
  for (std::size_t i = 0; i < q.scale.size(); ++i)
    all.push_back({static_cast<std::int32_t>(bits_of(type)),
                   static_cast<std::int32_t>(q.zero_point[i]), static_cast<double>(q.scale[i])});
  return all;
}

std::vector<std::optional<Quantizer>> find_quantizers(const Graph& graph) {
  Scales scales(graph);
  std::vector<std::optional<Quantizer>> all(graph.operand_count());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    all[i] = scales.of(i);
    if (!all[i] || all[i]->per_tensor()) continue;
    const MLOperand operand = graph.operand(i);
    const Dims& shape = operand.shape();
    const auto at = std::find(shape.begin(), shape.end(), all[i]->scale.size());
    if (at - shape.begin() != all[i]->axis) all[i].reset();
  }
  return all;
}

}  // namespace webnn::inline v0_1::nnrt::exporter
