#include "src/quantization/selection.h"

#include <numeric>

#include "src/graph/traits.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

using Products = ops::OpList<ops::conv2d, ops::convTranspose2d, ops::gemm, ops::matmul>;
using Followers =
    ops::OpList<ops::abs, ops::add, ops::averagePool2d, ops::clamp, ops::elu, ops::gelu,
                ops::hardSigmoid, ops::hardSwish, ops::leakyRelu, ops::linear, ops::mul, ops::neg,
                ops::prelu, ops::reduceMean, ops::relu, ops::resample2d, ops::sigmoid, ops::softmax,
                ops::softplus, ops::softsign, ops::sub, ops::tanh>;
/// Those of ops::Traits::rearranges, and these.
using Movers = ops::OpList<ops::maxPool2d, ops::pad, ops::squeeze, ops::unsqueeze, ops::reshapeTo2d,
                           ops::reshapeDynamic, ops::expandDynamic, ops::tileDynamic,
                           ops::sliceDynamic, ops::padDynamic, ops::splitDynamic>;

template <class List> constexpr bool holds(const Node& node) {
  return [&]<class... T>(ops::OpList<T...>) {
    return ((node.kind() == ops::index_of<T>(ops::DeclaredOps{})) || ...);
  }(List{});
}
bool rearranges(const Node& node) {
  return traits_of(node).rearranges && !node.as<ops::identity>();
}

bool is_float(const MLOperand& x) { return x.record().descriptor.dataType == float32; }
const Dims& sizes(const MLOperand& x) { return x.record().descriptor.shape; }
bool has_rank(const MLOperand& x) { return !x.is_open() || x.record().open->ranked; }

std::uint64_t count_of(const MLOperand& constant) { return element_count(constant.shape()); }

/// Whether c has one element for each column.
bool is_row(const MLOperand& c, std::uint32_t columns) {
  return count_of(c) == 1 || (count_of(c) == columns && sizes(c).back() == columns);
}

bool fits(const ops::conv2d& op) {
  return is_float_constant(op.filter) && !op.input.constant() &&
         (!op.options.bias || op.options.bias->constant());
}
bool fits(const ops::convTranspose2d& op) {
  return is_float_constant(op.filter) && !op.input.constant() &&
         (!op.options.bias || op.options.bias->constant());
}
bool fits(const ops::gemm& op, const MLOperand& y) {
  const auto& o = op.options;
  if (o.alpha != 1 || o.aTranspose || op.a.constant()) return false;
  return !o.c || (o.beta == 1 && o.c->constant() && is_row(*o.c, sizes(y).back()));
}
template <class Pad> bool pads_with_zero(const Pad& op) {
  return op.options.mode != MLPaddingMode::constant ||
         op.options.value.to(float32).as_double() == 0;
}

Role product_role(const Node& node) {
  bool fitting = false;
  if (const auto* conv = node.as<ops::conv2d>()) fitting = fits(*conv);
  if (const auto* conv = node.as<ops::convTranspose2d>()) fitting = fits(*conv);
  if (const auto* gemm = node.as<ops::gemm>()) fitting = fits(*gemm, node.output());
  if (const auto* matmul = node.as<ops::matmul>()) fitting = !matmul->a.constant();
  return fitting ? Role::product : Role::none;
}
Role mover_role(const Node& node) {
  if (const auto* pad = node.as<ops::pad>(); pad && !pads_with_zero(*pad)) return Role::none;
  if (const auto* pad = node.as<ops::padDynamic>(); pad && !pads_with_zero(*pad)) return Role::none;
  return Role::mover;
}

/// Whether a product is faster on integers whose scale follows from each run. A depthwise
/// convolution has fewer operations than the ranges and the integers of its input take.
bool gains_from_ranges(const Node& product) {
  if (!is_float_constant(product.inputs()[1]) || product.as<ops::convTranspose2d>()) return false;
  const auto* conv = product.as<ops::conv2d>();
  return !conv || ops::filter_sizes(conv->filter.shape(), conv->options.filterLayout).inputs > 1;
}

}  // namespace

bool is_float_constant(const MLOperand& x) { return x.constant() && is_float(x); }

Role role_of(const Node& node) {
  for (const MLOperand& y : node.outputs())
    if (!is_float(y) || !has_rank(y)) return Role::none;
  for (const MLOperand& x : node.inputs())
    if (!has_rank(x)) return Role::none;
  if (holds<Products>(node)) return product_role(node);
  if (const auto* op = node.as<ops::resample2d>())
    return op->options.mode == MLInterpolationMode::nearest_neighbor ? Role::mover : Role::follower;
  // A mean over the features of a row is a part of a normalization.
  if (const auto* op = node.as<ops::reduceMean>())
    return sizes(op->input).size() == 4 ? Role::follower : Role::none;
  if (const auto* op = node.as<ops::prelu>())
    return op->slope.constant() ? Role::follower : Role::none;
  if (holds<Followers>(node)) return Role::follower;
  return rearranges(node) || holds<Movers>(node) ? mover_role(node) : Role::none;
}

std::string name_in_report(const Graph& graph, std::size_t i) {
  const Node node = graph.node(i);
  return node.label().empty() ? std::string(node.name()) + ' ' + std::to_string(i)
                              : std::string(node.label());
}

std::vector<std::string_view> quantizable_operators() {
  std::vector<std::string_view> all;
  const auto add = [&]<class... T>(ops::OpList<T...>) {
    (all.push_back(T::declaration.name), ...);
  };
  add(Products{});
  add(Followers{});
  add(Movers{});
  [&]<class... T>(ops::OpList<T...>) {
    ((ops::traits_of<T>().rearranges && !std::same_as<T, ops::identity>
          ? all.push_back(T::declaration.name)
          : void()),
     ...);
  }(ops::DeclaredOps{});
  std::sort(all.begin(), all.end());
  return all;
}

namespace {

class Selector {
 public:
  Selector(const Graph& graph, const QuantizationOptions& options,
           const std::set<std::size_t>& kept)
      : graph_(graph), options_(options), kept_(kept), counts_(reader_counts(graph)) {
    to_.unit_at.assign(graph.size(), Selection::none);
    to_.quantized.resize(graph.operand_count());
    to_.made_by_integers.resize(graph.operand_count());
    to_.scale_as.resize(graph.operand_count());
    std::iota(to_.scale_as.begin(), to_.scale_as.end(), 0u);
    readers_.resize(graph.operand_count(), Selection::none);  // as that of an output
    for (std::size_t i = 0; i < graph.size(); ++i)
      for (const MLOperand& x : graph.node(i).inputs()) readers_[x.record().id] = i;
  }

  Selection run() {
    for (std::size_t i = 0; i < graph_.size(); ++i) add_unit(i);
    std::vector<bool> taken(units_.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t u = 0; u < units_.size(); ++u)
        if (!taken[u] && is_quantized(units_[u])) {
          take(units_[u]);
          taken[u] = changed = true;
        }
    }
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (!taken[u]) continue;
      to_.unit_at[units_[u].node] = to_.units.size();
      for (std::size_t i : units_[u].tail) to_.unit_at[i] = to_.units.size();
      to_.units.push_back(std::move(units_[u]));
    }
    for (std::uint32_t& x : to_.scale_as) x = root(x);
    return std::move(to_);
  }

 private:
  bool may(std::size_t i) const {
    const auto& names = options_.operators;
    return !kept_.contains(i) && (names.empty() || std::find(names.begin(), names.end(),
                                                             graph_.node(i).name()) != names.end());
  }
  /// The only reader of a result.
  std::size_t only_reader(std::size_t i) const {
    const MLOperand& y = graph_.node(i).output();
    return counts_[y.record().id] == 1 ? readers_[y.record().id] : Selection::none;
  }

  void add_unit(std::size_t i) {
    if (in_tail_.contains(i) || !may(i)) return;
    const Node node = graph_.node(i);
    Unit unit{.node = i, .role = role_of(node)};
    if (unit.role == Role::none) return;
    if (options_.dynamic) {
      if (unit.role != Role::product || !gains_from_ranges(node)) return;
    } else if (unit.role == Role::product || node.as<ops::add>()) {
      add_tail(unit);
    }
    units_.push_back(std::move(unit));
  }
  void add_tail(Unit& unit) {
    const Node node = graph_.node(unit.node);
    const bool plain =
        node.as<ops::matmul>() || (node.as<ops::gemm>() && !node.as<ops::gemm>()->options.c);
    if (plain) extend(unit, [&](const Node& next) { return adds_row(next); });
    extend(unit, [](const Node& next) { return next.as<ops::relu>() || next.as<ops::clamp>(); });
  }
  template <class Fits> void extend(Unit& unit, Fits fits) {
    const std::size_t next = only_reader(unit.last());
    if (next == Selection::none || kept_.contains(next) || !fits(graph_.node(next))) return;
    unit.tail.push_back(next);
    in_tail_.insert(next);
  }
  static bool adds_row(const Node& node) {
    const auto* add = node.as<ops::add>();
    if (!add) return false;
    const MLOperand& c = add->a.constant() ? add->a : add->b;
    const Dims& y = sizes(node.output());
    return is_float_constant(c) && !y.empty() && sizes(c).size() <= y.size() && y.back() != 0 &&
           is_row(c, y.back());
  }

  bool is_quantized(const Unit& unit) const {
    if (unit.role == Role::product) return true;
    const Node node = graph_.node(unit.node);
    bool all = true, some = false, computed = false;
    for (const MLOperand& x : node.inputs()) {
      if (!is_float(x) || x.constant()) continue;
      computed = true;
      (to_.quantized[x.record().id] ? some : all) = to_.quantized[x.record().id];
    }
    if (unit.role == Role::follower) return computed && all;
    for (const MLOperand& y : node.outputs()) some |= to_.quantized[y.record().id];
    return computed && some;
  }
  void take(const Unit& unit) {
    const Node node = graph_.node(unit.node);
    for (const MLOperand& x : node.inputs())
      if (is_float(x) && !x.constant()) to_.quantized[x.record().id] = true;
    if (options_.dynamic) return;
    const Node last = graph_.node(unit.last());
    for (const MLOperand& y : last.outputs())
      to_.quantized[y.record().id] = to_.made_by_integers[y.record().id] = true;
    if (unit.role != Role::mover) return;
    const std::uint32_t y = root(node.output().record().id);
    for (const MLOperand& x : node.inputs())
      if (is_float(x)) to_.scale_as[root(x.record().id)] = y;
    for (const MLOperand& x : node.outputs()) to_.scale_as[root(x.record().id)] = y;
  }
  std::uint32_t root(std::uint32_t x) const {
    while (to_.scale_as[x] != x) x = to_.scale_as[x];
    return x;
  }

  const Graph& graph_;
  const QuantizationOptions& options_;
  const std::set<std::size_t>& kept_;
  std::vector<std::size_t> counts_, readers_{};
  std::vector<Unit> units_{};
  std::set<std::size_t> in_tail_{};
  Selection to_{};
};

}  // namespace

Selection select(const Graph& graph, const QuantizationOptions& options,
                 const std::set<std::size_t>& kept) {
  return Selector(graph, options, kept).run();
}

}  // namespace webnn::inline v0_1
