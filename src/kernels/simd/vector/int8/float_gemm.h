// Products of matrices of bytes whose sums become floats.
#pragma once

#include <span>

#include "src/kernels/simd/vector/int8/gemm.h"

namespace webnn::inline v0_1::simd {

/// A factor or a summand of the elements of a result.
struct FloatTerm {
  const float* data = nullptr;  ///< of row 0 and column 0
  std::size_t row = 0;          ///< floats from row to row; 0: all rows have the same
  std::size_t column = 1;       ///< from column to column: 1, or 0 where `row` is 0, too
  bool multiplies = false;
};
struct FloatResult {
  std::int32_t x_zero = 0;  ///< of x ^ flip; Int8Gemm::bias is multiplied by it
  std::span<const FloatTerm> terms{};
  bool clamps = false;  ///< min(max(v, lo), hi) at the end
  float lo = 0, hi = 0;
};

/// The sums of g, whose columns are in order (ColumnOrder::natural), as the nearest floats, with
/// each term multiplied or added and rounded in turn. y_stride counts floats.
void int8_float_gemm(const Int8Gemm& g, const FloatResult& result, std::size_t rows, int first,
                     int last, const std::uint8_t* x, float* y);

}  // namespace webnn::inline v0_1::simd
