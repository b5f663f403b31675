// Folds batchNormalization, and sums and products with constants by channel, into the weights of
// the convolution before them.
#include <algorithm>
#include <cmath>
#include <unordered_map>

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

/// Whether a channel keeps its precision in that type: nothing overflows, and the largest weight
/// is well above the subnormal numbers.
bool keeps_precision(double largest_weight, double bias, MLOperandDataType type) {
  const double largest = type == float16 ? 65504 : 3.4028234e38;
  const double smallest = type == float16 ? 0x1p-13 : 0x1p-114;
  return std::abs(bias) <= largest && largest_weight <= largest &&
         (largest_weight == 0 || largest_weight >= smallest);
}

/// A convolution and the operators after it that go into its weights, as one.
struct Row {
  const ops::conv2d* conv = nullptr;
  std::vector<double> largest{}, bias{};  // of the convolution, by output channel
  std::vector<double> factor{}, shift{};  // of the operators
  bool changes = false;                   // there are such operators
};

bool has_channels_first(const ops::conv2d& conv) {
  using enum MLConv2dFilterOperandLayout;
  return conv.options.filterLayout == oihw || conv.options.filterLayout == ohwi;
}
/// f(index of a weight, its output channel)
template <class F> void for_each_weight(const ops::conv2d& conv, std::size_t count, const F& f) {
  const Dims& shape = conv.filter.shape();
  const bool first = has_channels_first(conv);
  const std::size_t channels = first ? shape[0] : shape[3], inner = first ? count / channels : 1;
  for (std::size_t i = 0; i < count; ++i) f(i, i / inner % channels);
}

Row row_from(const ops::conv2d& conv) {
  const std::size_t channels = conv.filter.shape()[has_channels_first(conv) ? 0 : 3];
  Row row{.conv = &conv,
          .largest = std::vector(channels, 0.0),
          .bias = conv.options.bias ? doubles_of(*conv.options.bias) : std::vector(channels, 0.0),
          .factor = std::vector(channels, 1.0),
          .shift = std::vector(channels, 0.0)};
  const std::vector<double> filter = doubles_of(conv.filter);
  for_each_weight(conv, filter.size(), [&](std::size_t i, std::size_t c) {
    row.largest[c] = std::max(row.largest[c], std::abs(filter[i]));
  });
  return row;
}

/// The row with one more operator; nothing when the data type of the weights does not hold it.
std::optional<Row> extended(Row row, const Affine& a) {
  const auto type = row.conv->filter.dataType();
  for (std::size_t c = 0; c < row.factor.size(); ++c) {
    if (!std::isfinite(a.factor[c]) || !std::isfinite(a.shift[c])) return std::nullopt;
    row.factor[c] *= a.factor[c];
    row.shift[c] = row.shift[c] * a.factor[c] + a.shift[c];
    if (!keeps_precision(row.largest[c] * std::abs(row.factor[c]),
                         row.bias[c] * row.factor[c] + row.shift[c], type))
      return std::nullopt;
  }
  row.changes = true;
  return row;
}

/// In one walk, so that a row of any length is read and its weights are written once.
class Folder {
 public:
  explicit Folder(const Graph& graph) : graph_(graph), to_(graph), readers_(reader_counts(graph)) {}

  Graph run() {
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      const Node node = graph_.node(i);
      if (extends(node)) continue;
      for (const MLOperand& x : node.inputs()) end_row(x);
      to_.keep(i);
    }
    for (const auto& [name, y] : graph_.outputs()) end_row(y);
    return to_.finish();
  }

 private:
  /// The row whose result is x, if x has one reader.
  const Row* row_at(const MLOperand& x) {
    if (x.record().kind != OperandKind::result || readers_[x.record().id] != 1) return nullptr;
    if (const auto found = rows_.find(x.record().id); found != rows_.end()) return &found->second;
    const auto* conv = graph_.producer_of(x).as<ops::conv2d>();
    if (!conv || !is_constant(conv->filter) || !is_constant(conv->options.bias)) return nullptr;
    return &rows_.emplace(x.record().id, row_from(*conv)).first->second;
  }

  std::optional<Affine> affine(const Node& node) {
    if (const auto* op = node.as<ops::batchNormalization>()) return affine_of(*op);
    std::optional<Affine> a;
    const auto try_one = [&]<class T>(const T* op) {
      if (!op) return;
      if (const Row* row = row_at(is_constant(op->a) ? op->b : op->a))
        a = arithmetic(*op, node.output().shape(), channel_axis(*row->conv));
    };
    try_one(node.as<ops::add>());
    try_one(node.as<ops::sub>());
    try_one(node.as<ops::mul>());
    try_one(node.as<ops::div>());
    return a;
  }

  bool extends(const Node& node) {
    const auto a = affine(node);
    const Row* row = a ? row_at(a->x) : nullptr;
    if (!row || a->axis != channel_axis(*row->conv)) return false;
    auto longer = extended(*row, *a);
    if (!longer) return false;
    rows_.erase(a->x.record().id);
    rows_.emplace(node.output().record().id, std::move(*longer));
    return true;
  }

  /// Makes the convolution with the weights of the row that ends with x, if one does.
  void end_row(const MLOperand& x) {
    const auto found = rows_.find(x.record().id);
    if (found == rows_.end() || !found->second.changes) return;
    const Row& row = found->second;
    ops::conv2d conv = *row.conv;
    conv.input = to_(conv.input);
    std::vector<double> filter = doubles_of(conv.filter), bias = row.bias;
    for_each_weight(conv, filter.size(),
                    [&](std::size_t i, std::size_t c) { filter[i] *= row.factor[c]; });
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = bias[c] * row.factor[c] + row.shift[c];
    const MLOperandDescriptor d = conv.filter.descriptor();
    const Dims channels{static_cast<std::uint32_t>(bias.size())};
    conv.filter = to_.constant(d, constant_from(filter, d.dataType));
    conv.options.bias = to_.constant({d.dataType, channels}, constant_from(bias, d.dataType));
    to_.replace(x, to_.add(std::move(conv), x.descriptor()));
    rows_.erase(found);
  }

  const Graph& graph_;
  Rewriter to_;
  std::vector<std::size_t> readers_;
  std::unordered_map<std::uint32_t, Row> rows_{};  // by operand of the old graph
};

}  // namespace

Graph fold_into_weights(const Graph& graph) {
  return has_any<ops::conv2d>(graph) ? Folder(graph).run() : graph;
}

}  // namespace webnn
