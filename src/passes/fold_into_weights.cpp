// Folds batchNormalization, and sums and products with constants by channel, into the weights of
// the convolution before them.
#include <algorithm>
#include <cmath>

#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn {
namespace {

bool is_constant(const MLOperand& x) { return x.record().kind == OperandKind::constant; }
bool is_constant(const std::optional<MLOperand>& x) { return !x || is_constant(*x); }

/// y = factor * x + shift for each channel of x, which is on `axis`.
struct Affine {
  MLOperand x{};
  std::uint32_t axis = 0;
  std::vector<double> factor{}, shift{};
};

std::optional<Affine> affine_of(const ops::batchNormalization& op) {
  const auto& o = op.options;
  if (!is_constant(op.mean) || !is_constant(op.variance) || !is_constant(o.scale) ||
      !is_constant(o.bias))
    return std::nullopt;
  const std::vector<double> mean = doubles_of(op.mean), variance = doubles_of(op.variance);
  Affine a{op.input, o.axis, o.scale ? doubles_of(*o.scale) : std::vector(mean.size(), 1.0),
           o.bias ? doubles_of(*o.bias) : std::vector(mean.size(), 0.0)};
  const double epsilon = MLNumber(o.epsilon).to(op.input.dataType()).as_double();
  for (std::size_t c = 0; c < mean.size(); ++c) {
    a.factor[c] /= std::sqrt(variance[c] + epsilon);
    a.shift[c] -= a.factor[c] * mean[c];
  }
  return a;
}

/// The elements of a constant that is the same at all places of a channel, by channel.
std::optional<std::vector<double>> by_channel(const MLOperand& x, const Dims& shape,
                                              std::uint32_t axis) {
  if (!is_constant(x) || x.rank() > shape.size()) return std::nullopt;
  const std::size_t missing = shape.size() - x.rank();
  for (std::size_t d = 0; d < x.rank(); ++d)
    if (x.shape()[d] != 1 && missing + d != axis) return std::nullopt;
  std::vector<double> values = doubles_of(x);
  values.resize(shape[axis], values.front());  // one element stands for every channel
  return values;
}

/// x + c, x - c, c + x, x * c, c * x or x / c, where x is of the result's shape.
template <class T>
std::optional<Affine> arithmetic(const T& op, const Dims& shape, std::uint32_t axis) {
  const bool swapped = is_constant(op.a);
  if (swapped && (std::is_same_v<T, ops::sub> || std::is_same_v<T, ops::div>)) return std::nullopt;
  const MLOperand &x = swapped ? op.b : op.a, &other = swapped ? op.a : op.b;
  if (x.shape() != shape) return std::nullopt;
  const auto c = by_channel(other, shape, axis);
  if (!c) return std::nullopt;
  Affine a{x, axis, std::vector(c->size(), 1.0), std::vector(c->size(), 0.0)};
  for (std::size_t i = 0; i < c->size(); ++i) {
    if constexpr (std::is_same_v<T, ops::add>) a.shift[i] = (*c)[i];
    else if constexpr (std::is_same_v<T, ops::sub>) a.shift[i] = -(*c)[i];
    else if constexpr (std::is_same_v<T, ops::mul>) a.factor[i] = (*c)[i];
    else a.factor[i] = 1 / (*c)[i];
  }
  return a;
}

std::uint32_t channel_axis(const ops::conv2d& conv) {
  return conv.options.inputLayout == MLInputOperandLayout::nhwc ? 3 : 1;
}

/// The convolution that makes x, if its weights are constants and x has no other reader.
const ops::conv2d* foldable(const Graph& graph, const MLOperand& x,
                            const std::vector<std::size_t>& readers) {
  if (x.record().kind != OperandKind::result || readers[x.record().id] != 1) return nullptr;
  const auto* conv = graph.producer_of(x).as<ops::conv2d>();
  return conv && is_constant(conv->filter) && is_constant(conv->options.bias) ? conv : nullptr;
}

struct Fold {
  const ops::conv2d* conv;
  Affine affine;
};

std::optional<Fold> fold_of(const Graph& graph, const Node& node,
                            const std::vector<std::size_t>& readers) {
  std::optional<Affine> a;
  if (const auto* op = node.as<ops::batchNormalization>()) {
    a = affine_of(*op);
  } else {
    const auto try_one = [&]<class T>(const T* op) {
      if (!op || a) return;
      const MLOperand& x = is_constant(op->a) ? op->b : op->a;
      if (const auto* conv = foldable(graph, x, readers))
        a = arithmetic(*op, node.output().shape(), channel_axis(*conv));
    };
    try_one(node.as<ops::add>());
    try_one(node.as<ops::sub>());
    try_one(node.as<ops::mul>());
    try_one(node.as<ops::div>());
  }
  const ops::conv2d* conv = a ? foldable(graph, a->x, readers) : nullptr;
  if (!conv || a->axis != channel_axis(*conv)) return std::nullopt;
  for (std::size_t c = 0; c < a->factor.size(); ++c)
    if (!std::isfinite(a->factor[c]) || !std::isfinite(a->shift[c])) return std::nullopt;
  return Fold{conv, std::move(*a)};
}

/// Whether a channel keeps its precision in that type: nothing overflows, and the largest weight
/// is well above the subnormal numbers.
bool keeps_precision(double largest_weight, double bias, MLOperandDataType type) {
  const double largest = type == float16 ? 65504 : 3.4028234e38;
  const double smallest = type == float16 ? 0x1p-13 : 0x1p-114;
  return std::abs(bias) <= largest && largest_weight <= largest &&
         (largest_weight == 0 || largest_weight >= smallest);
}

/// The convolution with its factors and sums; nothing when its data type does not hold them.
std::optional<ops::conv2d> folded(Rewriter& to, const ops::conv2d& conv, const Affine& a) {
  using enum MLConv2dFilterOperandLayout;
  ops::conv2d out = conv;
  out.input = to(conv.input);
  std::vector<double> filter = doubles_of(conv.filter);
  const Dims& shape = conv.filter.shape();
  const auto layout = conv.options.filterLayout;
  const bool first = layout == oihw || layout == ohwi;  // the place of the output channels
  const std::size_t channels = first ? shape[0] : shape[3];
  const std::size_t inner = first ? filter.size() / channels : 1;
  std::vector<double> largest(channels);
  for (std::size_t i = 0; i < filter.size(); ++i) {
    const std::size_t c = i / inner % channels;
    filter[i] *= a.factor[c];
    largest[c] = std::max(largest[c], std::abs(filter[i]));
  }
  std::vector<double> bias =
      conv.options.bias ? doubles_of(*conv.options.bias) : std::vector(channels, 0.0);
  for (std::size_t c = 0; c < channels; ++c) bias[c] = bias[c] * a.factor[c] + a.shift[c];
  const auto type = conv.filter.dataType();
  for (std::size_t c = 0; c < channels; ++c)
    if (!keeps_precision(largest[c], bias[c], type)) return std::nullopt;
  out.filter = to.constant({type, shape}, constant_from(filter, type));
  out.options.bias =
      to.constant({type, {static_cast<std::uint32_t>(channels)}}, constant_from(bias, type));
  return out;
}

Graph folded_once(const Graph& graph) {
  const auto readers = reader_counts(graph);
  Rewriter to(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    const auto fold = fold_of(graph, node, readers);
    auto conv = fold ? folded(to, *fold->conv, fold->affine) : std::nullopt;
    if (conv) to.replace(node.output(), to.add(std::move(*conv), node.output().descriptor()));
    else to.keep(i);
  }
  return to.finish();
}

}  // namespace

Graph fold_into_weights(const Graph& graph) {
  constexpr std::size_t max_work = 1 << 22;  // operators looked at, in all rounds
  if (!has_any<ops::conv2d>(graph)) return graph;
  Graph result = graph;
  // A round folds one of several operators in a row.
  for (std::size_t work = 0; work < max_work; work += result.size()) {
    const std::size_t before = result.size();
    result = folded_once(result);
    if (result.size() == before) break;
  }
  return result;
}

}  // namespace webnn
