// The operators of chains of element-wise operators.
#pragma once

#include "src/kernels/common/fused.h"
#include "src/kernels/common/lower_table.h"

namespace webnn::inline v0_1::simd {

/// The cost of an element of an operator in unary_functions.inc; 0 of other operators.
template <class Op> inline constexpr double unary_cost = 0;
#define WEBNN_UNARY(op, function, cost) \
  template <> inline constexpr double unary_cost<ops::op> = cost;
#include "src/kernels/simd/unary_functions.inc"
#undef WEBNN_UNARY

template <class Op> using IsUnary = std::bool_constant<(unary_cost<Op> > 0)>;
using Unaries = FilteredOps<IsUnary, ops::AllOps>::type;

/// A chain that begins with one of these is one of element-wise operators.
using Elementwises =
    ops::Join<Unaries,
              ops::OpList<ops::add, ops::cast, ops::div, ops::max, ops::min, ops::modulusFloor,
                          ops::modulusTruncate, ops::mul, ops::pow, ops::prelu, ops::sub>,
              ActivationOps>::type;

}  // namespace webnn::inline v0_1::simd
