#include "tests/random/noise.h"

#include <algorithm>

#include "tests/support/tolerance.h"

namespace webnn::inline v0_1::test {
namespace {

template <class... T> bool is_one_of(const Node& node) {
  return ((node.kind() == ops::AllOps::index_of<T>()) || ...);
}
template <class... T> bool is_in(const Node& node, ops::OpList<T...>) {
  return is_one_of<T...>(node);
}

double window_of(const Node& node, const MLPool2dOptions& o) {
  const auto image = shape::image(node.input(0).shape(), o.layout);
  if (!o.windowDimensions) return static_cast<double>(image.height * image.width);
  return (*o.windowDimensions)[0] * (*o.windowDimensions)[1];
}

/// What the rule of the operator's tolerance counts.
double terms_of(const Node& node) {
  const auto count = [](const Dims& shape) { return static_cast<double>(element_count(shape)); };
  const Dims shape = node.input(0).shape();
  if (const auto* op = node.as<ops::conv2d>()) {
    const auto f = ops::filter_sizes(op->filter.shape(), op->options.filterLayout);
    return static_cast<double>(f.inputs * f.height * f.width) + 1;
  }
  if (const auto* op = node.as<ops::convTranspose2d>()) return count(op->filter.shape()) + 1;
  if (const auto* op = node.as<ops::gemm>()) return shape[op->options.aTranspose ? 0 : 1] + 3;
  if (node.as<ops::matmul>()) return shape.back();
  if (const auto* op = node.as<ops::averagePool2d>()) return window_of(node, op->options);
  if (const auto* op = node.as<ops::l2Pool2d>()) return window_of(node, op->options);
  if (const auto* op = node.as<ops::softmax>()) return shape[op->axis];
  if (const auto* op = node.as<ops::cumulativeSum>()) return shape[op->axis];
  if (is_in(node, ops::ReduceSection::Operators{}))
    return std::max(1.0, count(shape) / count(node.output().shape()));
  if (is_one_of<ops::instanceNormalization, ops::layerNormalization>(node)) return count(shape);
  return 0;
}

constexpr double recurrent_ulps = 64;  // for the gates' sigmoid and tanh, as sigmoid alone may have

bool is_recurrent(const Node& node) {
  return is_one_of<ops::gru, ops::gruCell, ops::lstm, ops::lstmCell>(node);
}

template <class Op> bool has_relu(const Op* op) {
  if (!op || !op->options.activations) return false;
  const auto& all = *op->options.activations;
  return std::find(all.begin(), all.end(), MLRecurrentNetworkActivation::relu) != all.end();
}

bool is_padded(const Node& node) {
  const auto padded = [](const auto* op) {
    return op && std::any_of(op->options.padding.begin(), op->options.padding.end(),
                             [](std::uint32_t n) { return n > 0; });
  };
  return padded(node.as<ops::conv2d>()) || padded(node.as<ops::convTranspose2d>());
}

/// In units of the last place. Where the W3C's tests have an absolute one, which is for functions
/// of any quality, what a good one has.
double tolerance(const Node& node, MLOperandDataType type, double terms) {
  if (is_one_of<ops::log, ops::sin, ops::cos, ops::tan, ops::erf>(node)) return 16;
  if (is_one_of<ops::layerNormalization, ops::instanceNormalization>(node)) return 16 + terms;
  if (is_recurrent(node)) return recurrent_ulps;
  std::string name(node.name());
  if (const auto* op = node.as<ops::resample2d>())
    name += ' ' + std::string(name_of(op->options.mode));
  return tolerance_of(name, type, terms).ulp;
}

bool moves(const Node& node) {
  return is_one_of<ops::concat, ops::expand, ops::gather, ops::gatherElements, ops::gatherND,
                   ops::identity, ops::pad, ops::reshape, ops::reverse, ops::scatterElements,
                   ops::scatterND, ops::slice, ops::split, ops::tile, ops::transpose,
                   ops::triangular, ops::where, ops::cast>(node);
}

}  // namespace

Noise noise_of(const Node& node, MLOperandDataType floats) {
  Noise n;
  n.moves = moves(node);
  n.decides =
      is_in(node, ops::LogicalSection::Operators{}) ||
      is_in(node, ops::ArgMinMaxSection::Operators{}) ||
      is_in(node, ops::ModulusSection::Operators{}) ||
      is_one_of<ops::cast, ops::ceil, ops::floor, ops::roundEven, ops::sign, ops::quantizeLinear,
                ops::tan>(node);  // at its poles
  if (n.moves || is_one_of<ops::quantizeLinear>(node)) return n;
  const auto type = node.output().dataType();
  const double terms = terms_of(node);
  n.result = std::max(tolerance(node, is_float(type) ? floats : type, terms), 0.0);
  if (n.result > 0 && is_float(type)) {
    n.operands = std::max(2.0, terms / 2);
    if (is_recurrent(node)) {
      n.operands = recurrent_ulps / 2;
      n.absolute = 0x1p-21;  // gates are rounded, as 1 - z is where z is near 1
      n.unbounded = has_relu(node.as<ops::gru>()) || has_relu(node.as<ops::gruCell>());
      n.feeds_back = is_one_of<ops::gru, ops::lstm>(node);
    }
    if (is_one_of<ops::erf>(node)) n.absolute = 0x1p-24;
    if (is_one_of<ops::reduceLogSumExp, ops::layerNormalization, ops::instanceNormalization,
                  ops::softplus>(node))
      n.composed = 0x1p-21;  // what is added last can cancel
    n.underflows =
        is_one_of<ops::softmax, ops::exp, ops::sigmoid, ops::softplus, ops::gelu, ops::pow>(node);
    n.has_poles = is_one_of<ops::tan>(node);
    n.squares = is_one_of<ops::reduceL2, ops::l2Pool2d>(node);
    n.pads = is_padded(node);
    n.sums = is_recurrent(node) ||
             is_one_of<ops::conv2d, ops::convTranspose2d, ops::gemm, ops::matmul>(node);
  }
  n.regroups = n.sums || is_one_of<ops::add, ops::sub, ops::mul, ops::div, ops::pow, ops::linear,
                                   ops::batchNormalization>(node);
  return n;
}

}  // namespace webnn::inline v0_1::test
