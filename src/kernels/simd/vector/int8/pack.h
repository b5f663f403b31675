// Matrices of bytes as the weights of products.
#pragma once

#include "src/kernels/simd/vector/int8/layout.h"

namespace webnn::inline v0_1::simd {

/// Bytes [k][columns], signed ones after `flip`, and the zero points of a product with them.
struct Int8Pack {
  std::size_t k = 0, columns = 0;
  std::size_t stride = 0;  ///< bytes from row to row
  std::uint8_t flip = 0;
  std::int32_t x_zero = 0, w_zero = 0;  ///< of the left operand, of the signed bytes
};
/// Int8Gemm::w and Int8Gemm::bias: the panels of these columns, and k * x_zero * w_zero less x_zero
/// times the sum of each column. Both have whole vectors of columns.
void int8_pack(const Int8Pack& g, const std::uint8_t* from, std::int8_t* w, std::int32_t* bias);

}  // namespace webnn::inline v0_1::simd
