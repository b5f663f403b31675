// batchNormalization by constants goes into the weights of the convolution before it, and else
// becomes a product and a sum by channel.
#include <cmath>

#include "src/runtime/passes/passes.h"
#include "src/runtime/passes/rewriter.h"

namespace webnn {
namespace {

bool is_constant(const MLOperand& x) { return x.record().kind == OperandKind::constant; }
bool is_constant(const std::optional<MLOperand>& x) { return !x || is_constant(*x); }

/// y = factor * x + shift for each channel.
struct Affine { std::vector<double> factor, shift; };

std::optional<Affine> affine_of(const ops::batchNormalization& op) {
  const auto& o = op.options;
  if (!is_constant(op.mean) || !is_constant(op.variance) || !is_constant(o.scale) ||
      !is_constant(o.bias))
    return std::nullopt;
  const std::vector<double> mean = doubles_of(op.mean), variance = doubles_of(op.variance);
  Affine a{o.scale ? doubles_of(*o.scale) : std::vector<double>(mean.size(), 1.0),
           o.bias ? doubles_of(*o.bias) : std::vector<double>(mean.size(), 0.0)};
  const double epsilon = MLNumber(o.epsilon).to(op.input.dataType()).as_double();
  for (std::size_t c = 0; c < mean.size(); ++c) {
    a.factor[c] /= std::sqrt(variance[c] + epsilon);
    a.shift[c] -= a.factor[c] * mean[c];
    if (!std::isfinite(a.factor[c]) || !std::isfinite(a.shift[c])) return std::nullopt;
  }
  return a;
}

/// The convolution that a batchNormalization can be folded into.
const ops::conv2d* foldable(const Graph& graph, const ops::batchNormalization& op,
                            const std::vector<std::size_t>& readers) {
  if (op.input.record().kind != OperandKind::result || readers[op.input.record().id] != 1)
    return nullptr;
  const auto* conv = graph.producer_of(op.input).as<ops::conv2d>();
  const std::uint32_t channels =
      conv && conv->options.inputLayout == MLInputOperandLayout::nhwc ? 3 : 1;
  if (!conv || op.options.axis != channels) return nullptr;
  return is_constant(conv->filter) && is_constant(conv->options.bias) ? conv : nullptr;
}

ops::conv2d folded(Rewriter& to, const ops::conv2d& conv, const Affine& a) {
  using enum MLConv2dFilterOperandLayout;
  ops::conv2d out = conv;
  out.input = to(conv.input);
  std::vector<double> filter = doubles_of(conv.filter);
  const Dims& shape = conv.filter.shape();
  const auto layout = conv.options.filterLayout;
  const bool first = layout == oihw || layout == ohwi;  // the place of the output channels
  const std::size_t channels = first ? shape[0] : shape[3], inner = first ? filter.size() / channels : 1;
  for (std::size_t i = 0; i < filter.size(); ++i) filter[i] *= a.factor[i / inner % channels];
  std::vector<double> bias = conv.options.bias ? doubles_of(*conv.options.bias)
                                               : std::vector<double>(channels, 0.0);
  for (std::size_t c = 0; c < channels; ++c) bias[c] = bias[c] * a.factor[c] + a.shift[c];
  const auto type = conv.filter.dataType();
  out.filter = to.constant({type, shape}, constant_from(filter, type));
  out.options.bias =
      to.constant({type, {static_cast<std::uint32_t>(channels)}}, constant_from(bias, type));
  return out;
}

}  // namespace

Graph fold_batch_normalization(const Graph& graph) {
  const auto readers = reader_counts(graph);
  Rewriter to(graph);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Node node = graph.node(i);
    const auto* op = node.as<ops::batchNormalization>();
    const auto affine = op ? affine_of(*op) : std::nullopt;
    if (!affine) {
      to.keep(i);
      continue;
    }
    const MLOperandDescriptor result = node.output().descriptor();
    MLOperand y;
    if (const ops::conv2d* conv = foldable(graph, *op, readers)) {
      y = to.add(folded(to, *conv, *affine), result);
    } else {
      Dims by_channel(result.shape.size(), 1);
      by_channel[op->options.axis] = result.shape[op->options.axis];
      const auto type = result.dataType;
      const auto vector = [&](const std::vector<double>& values) {
        return to.constant({type, by_channel}, constant_from(values, type));
      };
      const MLOperatorOptions o{op->options.label};
      y = to.add(ops::mul{to(op->input), vector(affine->factor), o}, result);
      y = to.add(ops::add{y, vector(affine->shift), o}, result);
    }
    to.replace(node.output(), y);
  }
  return to.finish();
}

}  // namespace webnn
