// Products of two tensors of 8 bits that are both computed.
#pragma once

#include "src/kernels/simd/product/product.h"
#include "src/kernels/simd/quantized/lower.h"

namespace webnn::inline v0_1::simd {

/// Matrices [rows][k] and [k][columns], which are contiguous.
struct ComputedProduct {
  Batches batches{};
  std::size_t rows = 1, k = 1, columns = 1;
};
/// The kernel of a chain whose first two operands are these.
Lowering lower_computed_product(const ComputedProduct& p, const QuantizedChain& c,
                                Int8DotProduct dot_product);

}  // namespace webnn::inline v0_1::simd
