// Reductions over dimensions that others follow, as those of an nhwc image over height and width.
#pragma once

#include "src/kernels/simd/vector/float32/rows.h"
#include "webnn/backend.h"

namespace webnn::inline v0_1::simd {

/// The axes must be neighbors, apart from dimensions of size 1.
Lowering lower_column_reduction(Reduction kind, const Dims& shape, const Dims& axes);

}  // namespace webnn::inline v0_1::simd
