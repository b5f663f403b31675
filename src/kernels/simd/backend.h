// The whole capability statement of this backend: the operators a chain may begin with, and an
// overload for each. Each is defined in the file of its section.
#pragma once

#include "webnn/backend.h"

namespace webnn::simd {

using Lowers = ops::OpList<ops::averagePool2d, ops::conv2d, ops::gemm, ops::l2Pool2d, ops::matmul,
                           ops::maxPool2d>;

Lowering lower(const ops::averagePool2d&, Chain);
Lowering lower(const ops::conv2d&, Chain);
Lowering lower(const ops::gemm&, Chain);
Lowering lower(const ops::l2Pool2d&, Chain);
Lowering lower(const ops::matmul&, Chain);
Lowering lower(const ops::maxPool2d&, Chain);

template <class T>
concept Lowered = requires(const T& op, Chain chain) {
  { lower(op, chain) } -> std::same_as<Lowering>;
};
template <class... T> constexpr bool all_lowered(ops::OpList<T...>) { return (Lowered<T> && ...); }
static_assert(all_lowered(Lowers{}), "an operator in Lowers has no overload of lower()");

}  // namespace webnn::simd
