// Lets operators that only move elements work on integers: dequantizeLinear moves behind them and
// quantizeLinear before them, and two that are inverse to each other disappear. The results have
// the same bits.
#include <algorithm>

#include "src/graph/known.h"
#include "src/kernels/common/pooling.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

bool is_constant(const MLOperand& x) { return x.record().kind == OperandKind::constant; }

/// One scale and one zero point, constants, for 8 bits.
struct Pair {
  MLOperand scale{}, zero{};

  bool operator==(const Pair& o) const {
    const auto same = [](const MLOperand& a, const MLOperand& b) {
      const auto x = a.constant()->bytes(), y = b.constant()->bytes();
      return a.dataType() == b.dataType() && std::equal(x.begin(), x.end(), y.begin(), y.end());
    };
    return same(scale, o.scale) && same(zero, o.zero);
  }
};
template <class T> std::optional<Pair> pair_of(const T* op) {
  if (!op || !is_constant(op->scale) || !is_constant(op->zeroPoint)) return std::nullopt;
  const auto type = op->zeroPoint.dataType();
  if (element_count(op->scale.shape()) != 1 || op->scale.dataType() != float32) return std::nullopt;
  if (type != int8 && type != uint8) return std::nullopt;
  const double scale = doubles_of(op->scale).front();
  if (!(scale >= 1e-30 && scale <= 1e30)) return std::nullopt;  // no quotient is out of range
  return Pair{op->scale, op->zeroPoint};
}

// Whether an operator moves elements of input or inputs alone; pad also where it adds zeros.
template <class T>
concept Moves = ops::traits_of<T>()
.rearranges || std::same_as<T, ops::pad>;
template <class T> bool moves(const T&, const NodeData&) { return Moves<T>; }
bool moves(const ops::pad& op, const NodeData&) {
  return op.options.mode != MLPaddingMode::constant ||
         op.options.value.to(float32).as_double() == 0;
}
/// The largest integer is the largest value, if every window has an element.
bool moves(const ops::maxPool2d& op, const NodeData& node) {
  const auto p = pooling_of(op.input, op.options, node.outputs.front());
  return p && windows_meet_input(*p);
}
bool moves(const ops::resample2d& op, const NodeData&) {
  return op.options.mode == MLInterpolationMode::nearest_neighbor;
}

/// The operands that are moved.
template <class T> std::vector<MLOperand*> moved(T& op) {
  std::vector<MLOperand*> all;
  if constexpr (requires { op.inputs; })
    for (MLOperand& x : op.inputs) all.push_back(&x);
  else if constexpr (requires { op.input; }) all.push_back(&op.input);
  return all;
}

/// The shape of scales when what they belong to is reshaped; nothing where they are of other
/// elements then. Dimensions of 1 may come and go.
std::optional<Dims> reshaped_scales(const Dims& scales, const Dims& from, const Dims& to) {
  Dims moved(to.size(), 1);
  if (element_count(scales) == 1) return moved;
  if (scales.size() != from.size()) return std::nullopt;
  std::size_t i = 0;
  const auto skip = [&] {
    while (i < from.size() && from[i] == 1) ++i;
  };
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (to[k] == 1) continue;
    skip();
    if (i == from.size() || from[i] != to[k]) return std::nullopt;
    moved[k] = scales[i++];
  }
  skip();
  return i == from.size() ? std::optional(moved) : std::nullopt;
}

class Mover {
 public:
  explicit Mover(const Graph& graph) : graph_(graph), to_(graph), readers_(reader_counts(graph)) {}

  Graph run() {
    const GraphData& data = data_of(graph_);
    for (std::size_t i = 0; i < data.nodes.size(); ++i) {
      const NodeData& node = data.nodes[i];
      const bool done = visit_known([&](const auto& op) { return rewrite(op, node); }, node.op);
      if (!done) to_.keep(i);
    }
    return to_.finish();
  }

 private:
  /// The operator of the new graph with the result x, if it is a T.
  template <class T> static const T* maker(const MLOperand& x) {
    if (x.record().kind != OperandKind::result) return nullptr;
    return owner_of(x)->nodes[x.record().producer].op.template as<T>();
  }

  /// One scale or zero point in the form for a tensor of that rank.
  MLOperand of_rank(const MLOperand& x, std::uint32_t rank) {
    const Dims shape(rank, 1);
    return x.shape() == shape ? x : to_.constant({x.dataType(), shape}, *x.constant());
  }
  MLOperand dequantized(const MLOperand& x, const Pair& p, const MLOperandDescriptor& result,
                        const std::string& label) {
    return to_.add(
        ops::dequantizeLinear{
            x, of_rank(p.scale, x.rank()), of_rank(p.zero, x.rank()), {.label = label}},
        result);
  }
  /// For a result of dequantizeLinear, its integers if they have the same scale and zero point. An
  /// output of the graph must not become an input or a constant.
  MLOperand quantized(const MLOperand& x, const Pair& p, const std::string& label,
                      bool is_output = false) {
    const auto* from = maker<ops::dequantizeLinear>(x);
    const auto same = pair_of(from);
    if (same && *same == p && (!is_output || from->input.record().kind == OperandKind::result))
      return from->input;
    return to_.add(
        ops::quantizeLinear{
            x, of_rank(p.scale, x.rank()), of_rank(p.zero, x.rank()), {.label = label}},
        {p.zero.dataType(), x.shape()});
  }

  /// A reshape of dequantized constants reshapes the constants.
  bool reshape_constant(const ops::reshape& op, const NodeData& node) {
    const auto* from = maker<ops::dequantizeLinear>(to_(op.input));
    if (!from || !is_constant(from->input) || !is_constant(from->scale) ||
        !is_constant(from->zeroPoint))
      return false;
    const Dims& shape = node.outputs.front().shape();
    const auto scales = reshaped_scales(from->scale.shape(), from->input.shape(), shape);
    if (!scales) return false;
    const auto reshaped = [&](const MLOperand& x, const Dims& to) {
      return to_.constant({x.dataType(), to}, *x.constant());
    };
    to_.replace(node.outputs.front(),
                to_.add(ops::dequantizeLinear{reshaped(from->input, shape),
                                              reshaped(from->scale, *scales),
                                              reshaped(from->zeroPoint, *scales),
                                              {.label = op.options.label}},
                        node.outputs.front().descriptor()));
    return true;
  }

  bool rewrite(const ops::reshape& op, const NodeData& node) {
    return reshape_constant(op, node) || move(op, node);
  }
  template <class T> bool rewrite(const T& op, const NodeData& node) { return move(op, node); }

  template <class T> bool move(const T& op, const NodeData& node) {
    if constexpr (Moves<T> || ops::contains<T>(ops::OpList<ops::maxPool2d, ops::resample2d>{})) {
      if (!moves(op, node)) return false;
      T changed = op;
      std::optional<Pair> common;
      for (MLOperand* x : moved(changed)) {
        const MLOperand now = to_(*x);
        const auto* from = maker<ops::dequantizeLinear>(now);
        const auto p = pair_of(from);
        if (!p || is_constant(from->input) || (common && !(*common == *p))) return false;
        common = p;
        *x = from->input;
      }
      if constexpr (requires { changed.indices; }) changed.indices = to_(op.indices);
      if constexpr (ops::contains<T>(ops::OpList<ops::pad>{}))
        changed.options.value = zero_of(*common);
      std::vector<MLOperandDescriptor> results;
      for (const MLOperand& y : node.outputs)
        results.push_back({common->zero.dataType(), y.shape()});
      const auto made = to_.add_list(std::move(changed), results);
      for (std::size_t i = 0; i < made.size(); ++i)
        to_.replace(node.outputs[i],
                    dequantized(made[i], *common, node.outputs[i].descriptor(), op.options.label));
      return true;
    }
    return false;
  }
  static MLNumber zero_of(const Pair& p) {
    const std::byte b = p.zero.constant()->bytes().front();
    const int v = static_cast<int>(b);
    return MLNumber(p.zero.dataType() == int8 && v > 127 ? v - 256 : v);
  }

  bool rewrite(const ops::quantizeLinear& op, const NodeData& node) {
    const auto p = pair_of(&op);
    const MLOperand x = p ? to_(op.input) : MLOperand();
    if (!x) return false;
    const Pair here{to_(p->scale), to_(p->zero)};
    if (maker<ops::dequantizeLinear>(x)) {
      const auto& outputs = graph_.outputs();
      const bool is_output = std::any_of(outputs.begin(), outputs.end(), [&](const auto& named) {
        return named.operand.is(node.outputs.front());
      });
      const MLOperand y = quantized(x, here, op.options.label, is_output);
      to_.replace(node.outputs.front(), y);
      return true;
    }
    if (const auto* reshape = maker<ops::reshape>(x))
      return quantize_before(*reshape, op, node, here);
    const auto* concat = maker<ops::concat>(x);
    if (!concat || readers_[op.input.record().id] != 1) return false;
    for (const MLOperand& part : concat->inputs)
      if (!pair_of(maker<ops::dequantizeLinear>(part))) return false;
    ops::concat changed = *concat;
    for (MLOperand& part : changed.inputs) part = quantized(part, here, op.options.label);
    to_.replace(node.outputs.front(),
                to_.add(std::move(changed), {here.zero.dataType(), x.shape()}));
    return true;
  }

  /// The reshape that made what is quantized works on the integers.
  bool quantize_before(const ops::reshape& reshape, const ops::quantizeLinear& op,
                       const NodeData& node, const Pair& p) {
    if (readers_[op.input.record().id] != 1 || is_constant(reshape.input)) return false;
    ops::reshape changed = reshape;
    changed.input = quantized(reshape.input, p, op.options.label);
    to_.replace(node.outputs.front(),
                to_.add(std::move(changed), {p.zero.dataType(), op.input.shape()}));
    return true;
  }

  const Graph& graph_;
  Rewriter to_;
  std::vector<std::size_t> readers_;
};

}  // namespace

Graph move_quantization(const Graph& graph) {
  return has_any<ops::quantizeLinear, ops::dequantizeLinear>(graph) ? Mover(graph).run() : graph;
}

}  // namespace webnn::inline v0_1
