// The numbers in a file that follow from open dimensions. Private; a shared library of a format has
// its own copy and does not show it.
//
// A file has one set of numbers, and has to be right at every size. An exporter writes the graph at
// several sizes, at which every open dimension of every operand has at least two (sized_trials()),
// and refuses an operator whose nodes differ. A size that is written as it is, or times others,
// always differs. What may be the same by chance are numbers that are rounded or compared: padding
// that windows reach, kinds that depend on it, dimensions that are alike. For these the exporters
// state here, operator by operator, when they hold for all sizes; an operator that is in no list
// does not compile.
#pragma once

#include <functional>

#include "src/graph/failure.h"
#include "src/graph/op.h"
#include "src/graph/text.h"
#include "webnn/graph.h"

namespace webnn::inline v0_1::formats {

/// Operators of which every exporter writes attributes, constants, and sizes as they are.
using WritesSizes = ops::OpList<
    ops::argMin, ops::argMax, ops::batchNormalization, ops::cast, ops::clamp, ops::concat,
    ops::cumulativeSum, ops::add, ops::sub, ops::mul, ops::div, ops::max, ops::min, ops::pow,
    ops::equal, ops::notEqual, ops::greater, ops::greaterOrEqual, ops::lesser, ops::lesserOrEqual,
    ops::logicalAnd, ops::logicalOr, ops::logicalXor, ops::logicalNot, ops::isNaN, ops::isInfinite,
    ops::abs, ops::ceil, ops::cos, ops::erf, ops::exp, ops::floor, ops::identity, ops::log,
    ops::neg, ops::reciprocal, ops::roundEven, ops::sign, ops::sin, ops::sqrt, ops::tan, ops::elu,
    ops::expand, ops::gather, ops::gatherElements, ops::gelu, ops::gru, ops::gruCell,
    ops::hardSigmoid, ops::hardSwish, ops::instanceNormalization, ops::layerNormalization,
    ops::leakyRelu, ops::linear, ops::lstm, ops::lstmCell, ops::matmul, ops::pad, ops::reduceL1,
    ops::reduceL2, ops::reduceLogSum, ops::reduceLogSumExp, ops::reduceMax, ops::reduceMean,
    ops::reduceMin, ops::reduceProduct, ops::reduceSum, ops::reduceSumSquare, ops::relu,
    ops::reshape, ops::reverse, ops::scatterElements, ops::sigmoid, ops::softmax, ops::softplus,
    ops::softsign, ops::split, ops::tanh, ops::tile, ops::transpose, ops::triangular, ops::where,
    ops::modulusFloor, ops::modulusTruncate>;

template <class Op>
concept WritesSizesOnly = WritesSizes::contains<Op>();

/// Why nodes of an operator are not right at all sizes; nothing when they are.
using OpenRefusal = std::optional<Failure>;

[[gnu::visibility("hidden")]] bool is_open(const MLOperand& x, std::uint32_t axis);
[[gnu::visibility("hidden")]] bool is_open(const MLOperand& x);
/// Whether a dimension has the size of another one in every run.
[[gnu::visibility("hidden")]] bool are_same(const MLOperand& x, std::uint32_t axis,
                                            const MLOperand& y, std::uint32_t other);

/// Along an axis of an image; `size` is that of the window.
struct WindowOf {
  std::uint32_t size = 1, stride = 1, dilation = 1, before = 0, after = 0;
  bool up = false;  // the number of windows is rounded up
};
/// Whether f(size of the dimension, number of windows) is the same for all sizes. What follows from
/// windows depends on the size's remainder by the stride: all remainders are tried.
[[gnu::visibility("hidden")]] bool is_same_at_all_sizes(
    const WindowOf& window, const std::function<std::uint64_t(std::uint32_t, std::uint32_t)>& f);

/// For quantizeLinear and dequantizeLinear: scales along open dimensions are one for each index of
/// a dimension with the same name, or one for all.
[[gnu::visibility("hidden")]] OpenRefusal refuse_blocks(const MLOperand& x, const MLOperand& scale);
/// For prelu: the slope is broadcast to the input.
[[gnu::visibility("hidden")]] OpenRefusal refuse_broadcast_input(const MLOperand& x,
                                                                 const MLOperand& slope);
/// For gatherND and scatterND: the last dimension of indices decides a rank.
[[gnu::visibility("hidden")]] OpenRefusal refuse_open_coordinates(const MLOperand& indices);

/// The refusals of a graph with open dimensions, f(operator), with the operator's name and label.
template <class F> std::vector<std::string> open_refusals(const Graph& open, F&& f) {
  std::vector<std::string> refusals;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Node node = open.node(i);
    if (node.as<ops::custom>()) continue;  // a name and attributes
    if (const OpenRefusal bad = visit<ops::DeclaredOps>(f, node.kind(), node.op()))
      refusals.push_back(name_and_label(node) + ": " + bad->message);
  }
  return refusals;
}

}  // namespace webnn::inline v0_1::formats
