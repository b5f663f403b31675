// Kernels for floats that have none of their own: those of float32, between conversions.
#pragma once

#include "src/kernels/reference/kernels.h"

namespace webnn::inline v0_1::reference {

/// Whether the node has operands of bfloat16, or of float8e4m3 that it does not dequantize, which
/// it does more with than to move or to cast them.
bool is_widened(const Node& node);
/// The kernel of such a node: that which `make` makes of a node of float32, in one tile, since all
/// operands are converted first. Results are rounded to nearest.
Candidate widened_kernel(const Node& node, Make make);

}  // namespace webnn::inline v0_1::reference
