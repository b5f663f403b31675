// Products with constant weights of 4, 8 or 16 bits, which stay as small as they are.
#pragma once

#include "src/kernels/common/small_weights.h"
#include "src/kernels/simd/options.h"
#include "src/kernels/simd/product/product.h"

namespace webnn::inline v0_1::simd {

/// A chain that begins with the operators that make float32 of small weights, and goes on with a
/// gemm, matmul or conv2d without groups that reads them as its second operand, or with a gather of
/// their rows.
Lowering lower_small_weights(Chain chain, const Options& options);
Lowering lower_small_gather(Chain chain);

}  // namespace webnn::inline v0_1::simd
