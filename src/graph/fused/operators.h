// THE list of the fused operators, and all operators that graphs may have.
#pragma once

#include "src/graph/control/operators.h"
#include "src/graph/fused/attention.h"
#include "src/graph/fused/dynamic_quantize_linear.h"
#include "src/graph/fused/quantized_operator.h"
#include "src/graph/fused/rms_normalization.h"
#include "src/graph/fused/rotary_embedding.h"
#include "src/graph/fused/swish.h"

namespace webnn::inline v0_1 {

namespace fused {

using Operators = ops::OpList<attention, dynamicQuantizeLinear, quantizedOperator, rmsNormalization,
                              rotaryEmbedding, swish>;

}  // namespace fused

/// The operators that programs use, behind them the fused ones, and those that only graphs with
/// open dimensions have. Node::kind() is an index in it.
using EveryOp =
    ops::Join<ops::GraphOps, ops::Join<fused::Operators, control::Operators>::type>::type;

constexpr bool is_fused(std::size_t kind) { return kind >= ops::GraphOps::size; }
/// Whether it is an operator of the caller's own, of which nothing is known but what it says.
constexpr bool is_custom(std::size_t kind) { return kind == ops::DeclaredOps::size; }

}  // namespace webnn::inline v0_1
