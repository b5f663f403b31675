// Weights that stay as small as they are stored, because the operators that read them expand them.
#pragma once

#include <vector>

#include "webnn/graph.h"

namespace webnn::inline v0_1 {

/// By operand: whether it is the float32 form of constants of 4, 8 or 16 bits that only products
/// and gathers read as weights, perhaps transposed.
std::vector<bool> small_weights(const Graph& graph);

}  // namespace webnn::inline v0_1
