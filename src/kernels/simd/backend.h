// The whole capability statement of this backend: the operators a chain may begin with, and an
// overload for each. Each is defined in the file of its section.
#pragma once

#include "webnn/backend.h"

namespace webnn::simd {

/// A chain that begins with one of them is one of element-wise operators.
using Elementwises =
    ops::OpList<ops::abs, ops::add, ops::cast, ops::ceil, ops::clamp, ops::div, ops::elu, ops::erf,
                ops::exp, ops::floor, ops::gelu, ops::hardSigmoid, ops::hardSwish, ops::leakyRelu,
                ops::linear, ops::log, ops::max, ops::min, ops::mul, ops::neg, ops::pow, ops::prelu,
                ops::reciprocal, ops::relu, ops::roundEven, ops::sigmoid, ops::sign, ops::softplus,
                ops::softsign, ops::sqrt, ops::sub, ops::tanh>;
using Others =
    ops::OpList<ops::averagePool2d, ops::batchNormalization, ops::conv2d, ops::gemm, ops::gru,
                ops::gruCell, ops::l2Pool2d, ops::layerNormalization, ops::lstm, ops::lstmCell,
                ops::matmul, ops::maxPool2d, ops::reduceMax, ops::reduceMean, ops::reduceMin,
                ops::reduceSum, ops::reduceSumSquare, ops::softmax, ops::transpose>;

Lowering lower(const ops::averagePool2d&, Chain);
Lowering lower(const ops::batchNormalization&, Chain);
Lowering lower(const ops::conv2d&, Chain);
Lowering lower(const ops::gemm&, Chain);
Lowering lower(const ops::gru&, Chain);
Lowering lower(const ops::gruCell&, Chain);
Lowering lower(const ops::l2Pool2d&, Chain);
Lowering lower(const ops::layerNormalization&, Chain);
Lowering lower(const ops::lstm&, Chain);
Lowering lower(const ops::lstmCell&, Chain);
Lowering lower(const ops::matmul&, Chain);
Lowering lower(const ops::maxPool2d&, Chain);
Lowering lower(const ops::reduceMax&, Chain);
Lowering lower(const ops::reduceMean&, Chain);
Lowering lower(const ops::reduceMin&, Chain);
Lowering lower(const ops::reduceSum&, Chain);
Lowering lower(const ops::reduceSumSquare&, Chain);
Lowering lower(const ops::softmax&, Chain);
Lowering lower(const ops::transpose&, Chain);

Lowering lower_elementwise(Chain);
template <class Op>
requires(ops::contains<Op>(Elementwises{})) Lowering lower(const Op&, Chain chain) {
  return lower_elementwise(chain);
}

template <class... A, class... B>
constexpr ops::OpList<A..., B...> joined(ops::OpList<A...>, ops::OpList<B...>) {
  return {};
}
using Lowers = decltype(joined(Elementwises{}, Others{}));

template <class T>
concept Lowered = requires(const T& op, Chain chain) {
  { lower(op, chain) } -> std::same_as<Lowering>;
};
template <class... T> constexpr bool all_lowered(ops::OpList<T...>) { return (Lowered<T> && ...); }
static_assert(all_lowered(Lowers{}), "an operator in Lowers has no overload of lower()");

}  // namespace webnn::simd
