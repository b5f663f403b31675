// The approximation of gelu that several formats have. Private; a shared library of a format has
// its own copy and does not show it.
#pragma once

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::formats {

/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
[[gnu::visibility("hidden")]] MLOperand tanh_gelu(MLGraphBuilder& b, const MLOperand& x,
                                                  const MLOperatorOptions& options = {});

}  // namespace webnn::inline v0_1::formats
