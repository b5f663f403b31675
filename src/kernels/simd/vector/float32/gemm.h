// Products of matrices with an epilogue, over weights packed in vector columns.
#pragma once

#include <cstddef>

#include "src/kernels/common/epilogue.h"

namespace webnn::inline v0_1::simd {

/// y = epilogue(x * w + bias, residual). w: vector columns of [segments * k][lanes], zero padded,
/// or if the product is narrow [columns][segments * k]; bias is padded to whole vectors. residual
/// has the layout of y.
struct Gemm {
  const float* w = nullptr;
  const float* bias = nullptr;
  std::size_t column_size = 0;  ///< floats between vector columns of w, or between its columns
  std::size_t k = 0;            ///< contiguous values of x ...
  std::size_t segments = 1, segment_stride = 0;  ///< ... in each of the segments
  std::size_t x_stride = 0, y_stride = 0;        ///< floats between rows
  int columns = 0;                               ///< of y
  Epilogue epilogue{};
  bool accumulate = false;  ///< start from y, not from the bias
  bool narrow = false;      ///< vectors of terms, not of columns
};

/// Whether vectors of terms are fewer than vectors of columns, which have lanes to spare.
bool is_narrow(int columns, std::size_t segments, std::size_t k);

/// Rows [0, rows) of the vector columns [first, last), of all columns if it is narrow. x, y and
/// residual point at row 0, y and residual at column 0 of all.
void gemm(const Gemm&, int rows, int first, int last, const float* x, float* y,
          const float* residual);
/// One row, for weights that are not in the caches: four independent sums. The same layout, one
/// segment.
void gemv(const Gemm&, int first, int last, const float* x, float* y, const float* residual);

}  // namespace webnn::inline v0_1::simd
