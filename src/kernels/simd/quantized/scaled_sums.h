// Sums of products of integers that are multiplied by their scales one by one.
#pragma once

#include "src/kernels/simd/vector/int8/gemm.h"

namespace webnn::inline v0_1::simd {

/// What dequantizeLinear multiplies by.
struct ScalesOfProduct {
  float left = 1;
  const float* right = nullptr;  ///< of column 0; null: 1
  std::size_t right_step = 0;    ///< from column to column
};

/// y = sum over k of ((x ^ flip) - x_zero) * left * ((w - w_zero) * right), for the columns
/// [first, last), which are in order (ColumnOrder::natural): the values of the composition where a
/// scale is so large that elements, or what they are multiplied by, are not finite. `inside` has
/// the layout of x, and 0 where x has padding, which is 0 whatever the scale is; null: nowhere.
void scaled_sums(const Int8Gemm& g, const ScalesOfProduct& scales, std::int32_t x_zero,
                 std::size_t rows, std::size_t first, std::size_t last, const std::uint8_t* x,
                 const std::uint8_t* inside, float* y);

}  // namespace webnn::inline v0_1::simd
