// Folds batchNormalization, and sums and products with constants by channel, into the weights of
// the convolution or product of matrices before them.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "src/kernels/common/dispatch_type.h"
#include "src/kernels/common/small_weights.h"
#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {
namespace {

bool is_constant(const MLOperand& x) { return x.record().kind == OperandKind::constant; }
bool is_constant(const std::optional<MLOperand>& x) { return !x || is_constant(*x); }

double coefficient(double value, MLOperandDataType type) {
  return MLNumber(value).to(type).as_double();
}

/// y = factor * x + shift for each channel of x.
struct Affine {
  std::vector<double> factor{}, shift{};
};

std::optional<Affine> affine_of(const ops::batchNormalization& op, std::uint32_t axis) {
  const auto& o = op.options;
  if (o.axis != axis || !is_constant(op.mean) || !is_constant(op.variance) ||
      !is_constant(o.scale) || !is_constant(o.bias))
    return std::nullopt;
  const std::vector<double> mean = doubles_of(op.mean), variance = doubles_of(op.variance);
  Affine a{o.scale ? doubles_of(*o.scale) : std::vector(mean.size(), 1.0),
           o.bias ? doubles_of(*o.bias) : std::vector(mean.size(), 0.0)};
  const double epsilon = coefficient(o.epsilon, op.input.dataType());
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
std::optional<Affine> affine_of(const T& op, const Dims& shape, std::uint32_t axis) {
  const bool swapped = is_constant(op.a);
  if (swapped && (std::is_same_v<T, ops::sub> || std::is_same_v<T, ops::div>)) return std::nullopt;
  const MLOperand &x = swapped ? op.b : op.a, &other = swapped ? op.a : op.b;
  if (x.shape() != shape) return std::nullopt;
  const auto c = by_channel(other, shape, axis);
  if (!c) return std::nullopt;
  Affine a{std::vector(c->size(), 1.0), std::vector(c->size(), 0.0)};
  for (std::size_t i = 0; i < c->size(); ++i) {
    if constexpr (std::is_same_v<T, ops::add>) a.shift[i] = (*c)[i];
    else if constexpr (std::is_same_v<T, ops::sub>) a.shift[i] = -(*c)[i];
    else if constexpr (std::is_same_v<T, ops::mul>) a.factor[i] = (*c)[i];
    else a.factor[i] = 1 / (*c)[i];
  }
  return a;
}

/// Whether a channel keeps its precision in that type: nothing overflows, and the largest weight
/// is well above the subnormal numbers.
bool keeps_precision(double largest_weight, double bias, MLOperandDataType type) {
  const double largest = type == float16 ? 65504 : 3.4028234e38;
  const double smallest = type == float16 ? 0x1p-13 : 0x1p-114;
  return std::abs(bias) <= largest && largest_weight <= largest &&
         (largest_weight == 0 || largest_weight >= smallest);
}

/// How weights lie in memory, and a factor of them.
struct WeightForm {
  MLOperandDescriptor descriptor{};
  double multiple = 1;  // alpha of gemm
  // The values are [outer, outputs, inner]. The output channels of convTranspose2d are those of a
  // group, which follows from the input channel: the last dimension, or the first.
  std::size_t outer = 1, outputs = 1, inner = 1, groups = 1, group_inputs = 1, inputs = 1;
  bool inputs_first = false;

  /// f(index of a weight, its output channel)
  template <class F> void for_each(const F& f) const {
    std::size_t i = 0;
    for (std::size_t first = 0; first < outer; ++first)
      for (std::size_t o = 0; o < outputs; ++o)
        for (std::size_t last = 0; last < inner; ++last) {
          const std::size_t input = inputs_first ? first : last % inputs;
          f(i++, groups == 1 ? o : input / group_inputs * outputs + o);
        }
  }
  Recipe recipe(std::string_view name) const {
    Recipe how(name);
    how << descriptor << multiple << outer << outputs << inner << groups << group_inputs << inputs
        << inputs_first;
    return how;
  }
};

/// The constants of an operator that are weights and what is added to the result, by channel.
struct Weights {
  MLOperand values{};
  WeightForm form{};
  std::vector<double> bias{};
  std::uint32_t axis = 0;  // where the result has the channels
};

std::uint32_t channel_axis(MLInputOperandLayout layout) {
  return layout == MLInputOperandLayout::nhwc ? 3 : 1;
}

/// What the operators with weights read, their weights, and what they add.
template <class T> auto parts_of(T& op) {
  if constexpr (requires { op.filter; }) return std::tie(op.input, op.filter, op.options.bias);
  else return std::tie(op.a, op.b, op.options.c);
}
/// f(op), if the node is an operator with weights.
template <class F> void with_weights(const Node& node, F f) {
  if (const auto* conv = as<ops::conv2d>(node)) f(*conv);
  else if (const auto* transposed = as<ops::convTranspose2d>(node)) f(*transposed);
  else if (const auto* gemm = as<ops::gemm>(node)) f(*gemm);
}

/// The bias of gemm is C, in a form that is the same in all rows, times beta.
std::optional<std::vector<double>> bias_of(const ops::gemm& op, const Dims& result) {
  if (!op.options.c) return std::vector(result[1], 0.0);
  auto bias = by_channel(*op.options.c, result, 1);
  const double beta = coefficient(op.options.beta, op.a.dataType());
  if (bias)
    for (double& b : *bias) b *= beta;
  return bias;
}
std::optional<std::vector<double>> bias_of(const auto& conv, const Dims& result) {
  const auto& o = conv.options;
  if (!is_constant(o.bias)) return std::nullopt;
  return o.bias ? doubles_of(*o.bias) : std::vector(result[channel_axis(o.inputLayout)], 0.0);
}

std::optional<Weights> weights_of(const Node& node) {
  std::optional<Weights> found;
  with_weights(node, [&]<class T>(const T& op) {
    const MLOperand& values = std::get<1>(parts_of(op));
    if (!is_constant(values)) return;
    auto bias = bias_of(op, node.output().shape());
    if (!bias) return;
    const Dims& shape = values.shape();
    const WeightAxes axes = weight_axes(node);
    Weights w{.values = values, .bias = std::move(*bias)};
    WeightForm& form = w.form;
    form.descriptor = values.descriptor();
    form.outputs = shape[axes.column];
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (d != axes.column) (d < axes.column ? form.outer : form.inner) *= shape[d];
    if constexpr (std::is_same_v<T, ops::gemm>) {
      w.axis = 1;
      form.multiple = coefficient(op.options.alpha, op.a.dataType());
    } else {
      w.axis = channel_axis(op.options.inputLayout);
    }
    if constexpr (std::is_same_v<T, ops::convTranspose2d>) {
      form.groups = op.options.groups;
      form.inputs = shape[axes.k];
      if (form.inputs % form.groups != 0) return;  // allowed by Rules::tests2025
      form.group_inputs = form.inputs / form.groups;
      form.inputs_first = axes.k < axes.column;
    }
    found = std::move(w);
  });
  return found;
}

/// An operator with weights and the operators after it that go into them, as one.
struct Row {
  Node node;  // with the weights
  Weights weights;
  std::vector<double> largest{};          // weights, by output channel
  std::vector<double> factor{}, shift{};  // what the operators do to a channel
};

/// The largest weight of each output channel, as doubles.
Constant largest_weights(const Constant& weights, const WeightForm& form, std::size_t channels) {
  std::vector<double> largest(channels, 0.0);
  const FloatElements values(weights, form.descriptor.dataType);
  form.for_each([&](std::size_t i, std::size_t c) {
    largest[c] = std::max(largest[c], std::abs(form.multiple * values[i]));
  });
  return Constant::copy_of(std::as_bytes(std::span(largest)));
}

Row row_from(const GraphData& graph, const Node& node, Weights weights) {
  const std::size_t channels = weights.bias.size();
  Row row{node, std::move(weights), std::vector(channels, 0.0), std::vector(channels, 1.0),
          std::vector(channels, 0.0)};
  const auto make = [form = row.weights.form, channels](std::span<const Constant> from) {
    return largest_weights(from.front(), form, channels);
  };
  Recipe how = row.weights.form.recipe("largest weights");
  how << channels;
  const Constant largest =
      derived(graph, how.text(), *row.weights.values.constant(), make, Keep::always);
  std::memcpy(row.largest.data(), largest.bytes().data(), largest.bytes().size());
  return row;
}

/// The row with one more operator; nothing when the data type of the weights does not hold it.
std::optional<Row> extended(Row row, const Affine& a) {
  const auto type = row.weights.values.dataType();
  for (std::size_t c = 0; c < row.factor.size(); ++c) {
    if (!std::isfinite(a.factor[c]) || !std::isfinite(a.shift[c])) return std::nullopt;
    row.factor[c] *= a.factor[c];
    row.shift[c] = row.shift[c] * a.factor[c] + a.shift[c];
    if (!keeps_precision(row.largest[c] * std::abs(row.factor[c]),
                         row.weights.bias[c] * row.factor[c] + row.shift[c], type))
      return std::nullopt;
  }
  return row;
}

Constant scaled_weights(const Constant& weights, const WeightForm& form,
                        const std::vector<double>& factor) {
  const auto type = form.descriptor.dataType;
  const FloatElements from(weights, type);
  return dispatch_every_type<types::floats>(type, [&]<class T>() {
    const auto to = std::make_shared<std::vector<T>>(element_count(form.descriptor.shape));
    form.for_each([&](std::size_t i, std::size_t c) {
      (*to)[i] = T(static_cast<float>(from[i] * form.multiple * factor[c]));
    });
    return Constant::transferred(to, std::as_bytes(std::span(*to)));
  });
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
  bool extends(const Node& node) {
    if (const auto* op = as<ops::batchNormalization>(node))
      return extends(node, op->input, [&](auto axis) { return affine_of(*op, axis); });
    const auto try_one = [&](const auto* op) {
      return op && extends(node, is_constant(op->a) ? op->b : op->a,
                           [&](auto axis) { return affine_of(*op, node.output().shape(), axis); });
    };
    return try_one(as<ops::add>(node)) || try_one(as<ops::sub>(node)) ||
           try_one(as<ops::mul>(node)) || try_one(as<ops::div>(node));
  }

  /// Whether the row that ends with x, or begins with its operator, now ends with the node.
  template <class F> bool extends(const Node& node, const MLOperand& x, const F& affine_on) {
    if (x.record().kind != OperandKind::result || readers_[x.record().id] != 1) return false;
    const auto found = rows_.find(x.record().id);
    const Node producer = graph_.producer_of(x);
    auto weights = found == rows_.end() ? weights_of(producer) : found->second.weights;
    const auto a = weights ? affine_on(weights->axis) : std::nullopt;
    if (!a) return false;
    auto longer =
        extended(found == rows_.end() ? row_from(data_of(graph_), producer, std::move(*weights))
                                      : found->second,
                 *a);
    if (!longer) return false;
    if (found != rows_.end()) rows_.erase(found);
    rows_.emplace(node.output().record().id, std::move(*longer));
    return true;
  }

  /// Makes the operator with the weights of the row that ends with x, if one does.
  void end_row(const MLOperand& x) {
    const auto found = rows_.find(x.record().id);
    if (found == rows_.end()) return;
    const Row& row = found->second;
    std::vector<double> bias = row.weights.bias;
    for (std::size_t c = 0; c < bias.size(); ++c) bias[c] = bias[c] * row.factor[c] + row.shift[c];
    with_weights(row.node, [&]<class T>(T op) {
      const auto [input, weights, added] = parts_of(op);
      const auto type = weights.dataType();
      const bool is_scaled = std::any_of(row.factor.begin(), row.factor.end(),
                                         [](double factor) { return factor != 1; });
      input = to_(input);
      weights = is_scaled ? scaled(row) : to_(weights);
      added = to_.derived({type, {static_cast<std::uint32_t>(bias.size())}}, bias);
      if constexpr (std::is_same_v<T, ops::gemm>) {
        if (is_scaled) op.options.alpha = 1;
        op.options.beta = 1;
      }
      to_.replace(x, to_.add(std::move(op), x.descriptor()));
    });
    rows_.erase(found);
  }

  /// The weights, also times alpha of gemm: a sum before alpha might not be in range.
  MLOperand scaled(const Row& row) {
    const WeightForm& form = row.weights.form;
    Recipe how = form.recipe("scaled weights");
    how << row.factor;
    return to_.derived(form.descriptor, how, *row.weights.values.constant(),
                       [form, factor = row.factor](std::span<const Constant> from) {
                         return scaled_weights(from.front(), form, factor);
                       });
  }

  const Graph& graph_;
  Rewriter to_;
  std::vector<std::size_t> readers_;
  std::unordered_map<std::uint32_t, Row> rows_{};  // by operand of the old graph
};

}  // namespace

Graph fold_into_weights(const Graph& graph) {
  return has_any<ops::conv2d, ops::convTranspose2d, ops::gemm>(graph) ? Folder(graph).run() : graph;
}

}  // namespace webnn::inline v0_1
