// Constants whose dimensions are put in another order while a graph is built.
#pragma once

#include "src/passes/rewriter.h"

namespace webnn::inline v0_1 {

/// A constant with the elements of x, which is one, as transpose() gives them.
MLOperand transposed_constant(Rewriter& to, const MLOperand& x, const Dims& order);

}  // namespace webnn::inline v0_1
