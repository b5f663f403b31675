// Products with constant float16 or bfloat16 whose operands are rounded to bfloat16.
#pragma once

#include <optional>

#include "src/kernels/simd/product/small_product.h"

namespace webnn::inline v0_1::simd {

/// The kernel of a product whose matrix b the node `expands` makes of float16 or bfloat16, which
/// become bfloat16 when they are packed; none where the options do not allow it, or other kernels
/// are likely as fast.
std::optional<Candidate> bfloat16_product(const Product& product, const Node& expands,
                                          const LaterInputs& later, const Options& options);

}  // namespace webnn::inline v0_1::simd
