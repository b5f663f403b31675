// Convolutions, pooling and other image operators become nhwc, whatever layout the caller uses.
// Transpositions, added and existing ones, move toward the outputs until an operator needs its
// operand in order. Most of them meet their inverse and disappear.
#include <algorithm>
#include <map>

#include "src/graph/known.h"
#include "src/passes/passes.h"
#include "src/passes/permutation.h"
#include "src/passes/rewriter.h"
#include "src/passes/transposed_constant.h"
#include "src/passes/transposed_custom.h"

namespace webnn::inline v0_1 {
namespace {

const Dims to_nhwc{0, 2, 3, 1}, to_nchw{0, 3, 1, 2};

/// No operator transposes elements of less than a byte; those of a constant are transposed here.
bool can_move(const MLOperand& x) {
  return bits_of(x.dataType()) >= 8 || x.record().kind == OperandKind::constant;
}

/// The value transpose(base, order), not computed yet. An empty order changes nothing.
struct Deferred {
  MLOperand base{};
  Dims order{};
};

// One operand, and one attribute `axis` in the operator or its options.
template <class T>
concept AlongAxis = ops::contains<T>(ops::OpList<ops::softmax, ops::split>{});
template <class T>
concept Reduces = ops::contains<T>(ops::ReduceSection::Operators{});
template <class T>
concept Pools = ops::contains<T>(ops::Pool2dSection::Operators{});

class ConvertToNhwc {
 public:
  explicit ConvertToNhwc(const Graph& graph) : to_(graph), now_(graph.operand_count()) {}

  Graph run() {
    const GraphData& data = data_of(to_.from());
    for (std::size_t i = 0; i < data.nodes.size(); ++i) {
      const NodeData& node = data.nodes[i];
      const bool done = visit_known([&](const auto& op) { return rewrite(op, node); }, node.op);
      if (done) continue;
      for (const MLOperand* x : operands_of(node.op.kind(), node.op.get())) settle(*x);
      to_.keep(i);
    }
    for (const auto& [name, x] : to_.from().outputs()) settle(x);
    return to_.finish();
  }

 private:
  // The operand of the new graph for one of the old graph.

  Deferred deferred(const MLOperand& old) {
    Deferred& d = now_[old.record().id];
    if (!d.base) d.base = to_(old);
    return d;
  }
  /// transpose(old, order)
  MLOperand transposed(const MLOperand& old, const Dims& order) {
    const Deferred d = deferred(old);
    return compute({d.base, composed(d.order, order)});
  }
  MLOperand plain(const MLOperand& old) { return compute(deferred(old)); }
  void settle(const MLOperand& old) {
    const MLOperand x = plain(old);
    now_[old.record().id] = {x, {}};
    to_.replace(old, x);
  }
  MLOperand compute(const Deferred& d) {
    if (is_identity(d.order)) return d.base;
    MLOperand& y = computed_[{d.base.record().id, d.order}];
    const OperandRecord& base = d.base.record();
    if (!y && base.kind == OperandKind::constant && keeps_order(d.base.shape(), d.order))
      y = to_.constant({d.base.dataType(), permuted(d.base.shape(), d.order)}, *base.constant);
    if (!y && bits_of(d.base.dataType()) < 8) y = transposed_constant(to_, d.base, d.order);
    if (!y) y = integers(d);
    if (!y) y = enlarged(d);
    if (!y)
      y = to_.add(ops::transpose{d.base, {.permutation = d.order}},
                  {d.base.dataType(), permuted(d.base.shape(), d.order)});
    return y;
  }
  /// A result of dequantizeLinear, or of a cast of a constant or of such a result, is transposed
  /// before that operator: the elements are smaller, and a quantized operator, or one with small
  /// weights, still has that operator directly before it.
  MLOperand integers(const Deferred& d) {
    const OperandRecord& r = d.base.record();
    if (r.kind != OperandKind::result) return {};
    const Op& maker = owner_of(d.base)->nodes[r.producer].op;
    if (const auto* cast = maker.as<ops::cast>();
        cast && cast->input.record().kind == OperandKind::constant && can_move(cast->input)) {
      ops::cast changed = *cast;
      changed.input = small_constant(cast->input, d.order);
      return to_.add(std::move(changed), {d.base.dataType(), permuted(d.base.shape(), d.order)});
    }
    if (const auto* cast = maker.as<ops::cast>()) {
      const MLOperand float16s = integers({cast->input, d.order});
      if (!float16s) return {};
      ops::cast changed = *cast;
      changed.input = float16s;
      return to_.add(std::move(changed), {d.base.dataType(), float16s.shape()});
    }
    const auto* op = maker.as<ops::dequantizeLinear>();
    if (!op || !can_move(op->input) || !can_move(op->zeroPoint)) return {};
    const auto rank = static_cast<std::uint32_t>(d.order.size());
    ops::dequantizeLinear changed{
        small_constant(op->input, d.order), small_constant(of_rank(op->scale, rank), d.order),
        small_constant(of_rank(op->zeroPoint, rank), d.order), op->options};
    return to_.add(std::move(changed), {d.base.dataType(), permuted(d.base.shape(), d.order)});
  }
  /// A result of resample2d is transposed before that operator where it has fewer elements.
  MLOperand enlarged(const Deferred& d) {
    const OperandRecord& r = d.base.record();
    if (r.kind != OperandKind::result) return {};
    const auto* op = owner_of(d.base)->nodes[r.producer].op.as<ops::resample2d>();
    if (!op || element_count(op->input.shape()) >= element_count(d.base.shape())) return {};
    ops::resample2d changed = *op;
    const Dims place = inverse(d.order);
    for (std::uint32_t& a : changed.options.axes) a = place[a];
    const auto [first, last] = std::minmax(changed.options.axes[0], changed.options.axes[1]);
    if (last != first + 1) return {};  // kernels resize neighboring dimensions
    changed.input = compute({op->input, d.order});
    return to_.add(std::move(changed), {d.base.dataType(), permuted(d.base.shape(), d.order)});
  }
  /// A constant is transposed at once, so that it still counts as small weights.
  MLOperand small_constant(const MLOperand& x, const Dims& order) {
    if (x.record().kind != OperandKind::constant || keeps_order(x.shape(), order))
      return compute({x, order});
    MLOperand& y = computed_[{x.record().id, order}];
    if (!y) y = transposed_constant(to_, x, order);
    return y;
  }
  void defer(const MLOperand& old, MLOperand base, Dims order) {
    now_[old.record().id] = {std::move(base), std::move(order)};
  }
  /// The descriptor of a base whose transposition has the descriptor of old.
  static MLOperandDescriptor before(const MLOperand& old, const Dims& order) {
    return {old.dataType(), permuted(old.shape(), inverse(order))};
  }

  // By operator: true when it has been rewritten.

  template <class T> bool rewrite(const T&, const NodeData&) { return false; }

  bool rewrite(const ops::transpose& op, const NodeData& node) {
    const Deferred d = deferred(op.input);
    defer(node.outputs.front(), d.base, composed(d.order, ops::permutation_of(op)));
    return true;
  }

  template <class T> void image(T op, const MLOperand& input, const MLOperand& y) {
    op.input = transposed(input, to_nhwc);
    defer(y, to_.add(std::move(op), before(y, to_nchw)), to_nchw);
  }
  template <class T> bool convolution(const T& op, const NodeData& node) {
    if (op.options.inputLayout == MLInputOperandLayout::nhwc) return false;
    T nhwc = op;
    nhwc.filter = plain(op.filter);
    if (op.options.bias) nhwc.options.bias = plain(*op.options.bias);
    nhwc.options.inputLayout = MLInputOperandLayout::nhwc;
    image(std::move(nhwc), op.input, node.outputs.front());
    return true;
  }
  bool rewrite(const ops::conv2d& op, const NodeData& node) { return convolution(op, node); }
  bool rewrite(const ops::convTranspose2d& op, const NodeData& node) {
    return convolution(op, node);
  }
  template <Pools T> bool rewrite(const T& op, const NodeData& node) {
    if (op.options.layout == MLInputOperandLayout::nhwc) return false;
    T nhwc = op;
    nhwc.options.layout = MLInputOperandLayout::nhwc;
    image(std::move(nhwc), op.input, node.outputs.front());
    return true;
  }
  /// Kernels of both layouts are alike, so that it takes its operand as it is.
  bool rewrite(const ops::instanceNormalization& op, const NodeData& node) {
    if (op.options.layout == MLInputOperandLayout::nhwc) return false;
    if (deferred(op.input).order != to_nchw) return false;
    auto nhwc = op;
    nhwc.options.layout = MLInputOperandLayout::nhwc;
    if (op.options.scale) nhwc.options.scale = plain(*op.options.scale);
    if (op.options.bias) nhwc.options.bias = plain(*op.options.bias);
    image(std::move(nhwc), op.input, node.outputs.front());
    return true;
  }

  template <class T>
  requires(ops::traits_of<T>().element_wise) bool rewrite(const T& op, const NodeData& node) {
    const MLOperand& y = node.outputs.front();
    T changed = op;
    std::vector<MLOperand*> operands;
    ops::for_each_operand(changed, [&](const auto&, auto& value) {
      ops::each(value, [&](MLOperand& x) { operands.push_back(&x); });
    });
    const bool all_move =
        bits_of(y.dataType()) >= 8 && std::all_of(operands.begin(), operands.end(),
                                                  [](const MLOperand* x) { return can_move(*x); });
    const Dims order = all_move ? best_order(operands, y) : Dims();
    if (order.empty()) return false;
    for (MLOperand* x : operands) *x = ordered(*x, order, y.rank());
    defer(y, to_.add(std::move(changed), before(y, order)), order);
    return true;
  }
  /// The order of one of the operands in which the fewest elements must be moved; empty for none.
  Dims best_order(const std::vector<MLOperand*>& operands, const MLOperand& y) {
    Dims best;
    std::uint64_t lowest = moved(operands, {}, y.rank());
    for (const MLOperand* x : operands) {
      const Dims order = deferred(*x).order;
      if (is_identity(order) || x->rank() != y.rank()) continue;
      const std::uint64_t cost = moved(operands, order, y.rank());
      if (cost < lowest || (cost == lowest && best.empty())) {
        lowest = cost;
        best = order;
      }
    }
    return best;
  }
  std::uint64_t moved(const std::vector<MLOperand*>& operands, const Dims& order,
                      std::uint32_t rank) {
    std::uint64_t elements = 0;
    for (const MLOperand* x : operands) {
      const Deferred d = deferred(*x);
      if (x->record().kind == OperandKind::constant) continue;
      const Dims needed =
          x->rank() == rank && !order.empty() ? composed(d.order, inverse(order)) : d.order;
      if (!keeps_order(d.base.shape(), needed)) elements += element_count(x->shape());
    }
    return elements;
  }
  /// The operand as it is read by an operator whose result is deferred with that order.
  MLOperand ordered(const MLOperand& old, const Dims& order, std::uint32_t rank) {
    if (old.rank() == 0) return plain(old);
    if (old.rank() == rank) return transposed(old, inverse(order));
    return compute({of_rank(plain(old), rank), inverse(order)});
  }
  /// With ones in front.
  MLOperand of_rank(const MLOperand& x, std::uint32_t rank) {
    if (x.rank() == rank) return x;
    Dims shape(rank - x.rank(), 1);
    shape.insert(shape.end(), x.shape().begin(), x.shape().end());
    if (const Constant* c = x.constant()) return to_.constant({x.dataType(), shape}, *c);
    return to_.add(ops::reshape{x, shape}, {x.dataType(), shape});
  }

  bool rewrite(const ops::custom& op, const NodeData& node) {
    const MLOperand& y = node.outputs.front();
    const auto moves = [&](const MLOperand& x) { return x.rank() == y.rank(); };
    std::vector<MLOperand> inputs = op.inputs;
    std::vector<MLOperand*> operands;
    for (MLOperand& x : inputs)
      if (moves(x)) operands.push_back(&x);
    const Dims order = best_order(operands, y);
    if (order.empty()) return false;
    auto changed = transposed_custom(op, node.outputs, inverse(order));
    if (!changed) return false;
    for (MLOperand& x : changed->inputs) x = moves(x) ? transposed(x, inverse(order)) : plain(x);
    std::vector<MLOperandDescriptor> results;
    for (const MLOperand& r : node.outputs)
      results.push_back(moves(r) ? before(r, order) : r.descriptor());
    const auto made = to_.add_list(*std::move(changed), results);
    for (std::size_t i = 0; i < made.size(); ++i)
      defer(node.outputs[i], made[i], moves(node.outputs[i]) ? order : Dims());
    return true;
  }

  template <AlongAxis T> bool rewrite(const T& op, const NodeData& node) {
    const Deferred d = deferred(op.input);
    if (is_identity(d.order)) return false;
    T changed = op;
    changed.input = d.base;
    if constexpr (requires { changed.axis; }) {
      changed.axis = d.order[op.axis];
      const MLOperand& y = node.outputs.front();
      defer(y, to_.add(std::move(changed), before(y, d.order)), d.order);
    } else {
      changed.options.axis = d.order[op.options.axis];
      std::vector<MLOperandDescriptor> results;
      for (const MLOperand& y : node.outputs) results.push_back(before(y, d.order));
      const auto made = to_.add_list(std::move(changed), results);
      for (std::size_t i = 0; i < made.size(); ++i) defer(node.outputs[i], made[i], d.order);
    }
    return true;
  }

  template <Reduces T> bool rewrite(const T& op, const NodeData& node) {
    const Deferred d = deferred(op.input);
    if (is_identity(d.order)) return false;
    const MLOperand& y = node.outputs.front();
    std::vector<bool> reduced(op.input.rank(), !op.options.axes);
    if (op.options.axes)
      for (std::uint32_t a : *op.options.axes) reduced[a] = true;
    T changed = op;
    changed.input = d.base;
    Dims axes, order;
    for (std::uint32_t i = 0; i < op.input.rank(); ++i)
      if (reduced[i]) axes.push_back(d.order[i]);
    changed.options.axes = axes;
    if (op.options.keepDimensions) {
      order = d.order;
    } else {  // the places of the dimensions that stay, among those that stay
      for (std::uint32_t i = 0; i < op.input.rank(); ++i) {
        if (reduced[i]) continue;
        std::uint32_t place = 0;
        for (std::uint32_t k = 0; k < op.input.rank(); ++k)
          place += !reduced[k] && d.order[k] < d.order[i];
        order.push_back(place);
      }
    }
    defer(y, to_.add(std::move(changed), before(y, order)), order);
    return true;
  }

  bool rewrite(const ops::concat& op, const NodeData& node) {
    const MLOperand& y = node.outputs.front();
    ops::concat changed = op;
    std::vector<MLOperand*> operands;
    for (MLOperand& x : changed.inputs) operands.push_back(&x);
    const Dims order = best_order(operands, y);
    if (order.empty()) return false;
    for (MLOperand* x : operands) *x = ordered(*x, order, y.rank());
    changed.axis = order[op.axis];
    defer(y, to_.add(std::move(changed), before(y, order)), order);
    return true;
  }

  bool rewrite(const ops::pad& op, const NodeData& node) {
    const Deferred d = deferred(op.input);
    if (is_identity(d.order)) return false;
    const MLOperand& y = node.outputs.front();
    ops::pad changed{d.base, permuted(op.beginningPadding, inverse(d.order)),
                     permuted(op.endingPadding, inverse(d.order)), op.options};
    defer(y, to_.add(std::move(changed), before(y, d.order)), d.order);
    return true;
  }

  bool rewrite(const ops::slice& op, const NodeData& node) {
    const Deferred d = deferred(op.input);
    if (is_identity(d.order)) return false;
    const MLOperand& y = node.outputs.front();
    const Dims back = inverse(d.order);
    ops::slice changed{d.base, permuted(op.starts, back), permuted(op.sizes, back), op.options};
    if (op.options.strides) changed.options.strides = permuted(*op.options.strides, back);
    defer(y, to_.add(std::move(changed), before(y, d.order)), d.order);
    return true;
  }

  bool rewrite(const ops::batchNormalization& op, const NodeData& node) {
    const Deferred d = deferred(op.input);
    if (is_identity(d.order)) return false;
    const MLOperand& y = node.outputs.front();
    ops::batchNormalization changed = op;
    changed.input = d.base;
    changed.mean = plain(op.mean);
    changed.variance = plain(op.variance);
    if (op.options.scale) changed.options.scale = plain(*op.options.scale);
    if (op.options.bias) changed.options.bias = plain(*op.options.bias);
    changed.options.axis = d.order[op.options.axis];
    defer(y, to_.add(std::move(changed), before(y, d.order)), d.order);
    return true;
  }

  bool rewrite(const ops::resample2d& op, const NodeData& node) {
    const Deferred d = deferred(op.input);
    if (is_identity(d.order)) return false;
    const MLOperand& y = node.outputs.front();
    ops::resample2d changed = op;
    changed.input = d.base;
    for (std::uint32_t& a : changed.options.axes) a = d.order[a];
    defer(y, to_.add(std::move(changed), before(y, d.order)), d.order);
    return true;
  }

  Rewriter to_;
  std::vector<Deferred> now_;  // by operand of the old graph
  std::map<std::pair<std::uint32_t, Dims>, MLOperand> computed_;
};

}  // namespace

Graph convert_to_nhwc(const Graph& graph) {
  const bool any =
      has_any<ops::transpose, ops::conv2d, ops::convTranspose2d, ops::instanceNormalization>(
          graph) ||
      has_any(graph, ops::Pool2dSection::Operators{});
  return any ? ConvertToNhwc(graph).run() : graph;
}

}  // namespace webnn::inline v0_1
