// A few rows times a matrix that is not packed.
#pragma once

#include <cstddef>

#include "src/kernels/common/epilogue.h"

namespace webnn::inline v0_1::simd {

/// y = epilogue(alpha * x * w + bias, residual). Either w_column or w_k is 1.
struct UnpackedGemm {
  int rows = 1, columns = 1;
  std::size_t k = 1;
  std::size_t x_row = 0, x_k = 1, w_k = 0, w_column = 1;  ///< strides, in floats
  float alpha = 1;
  const float* bias = nullptr;  ///< padded to whole vectors
  Epilogue epilogue{};
  bool accumulate = false;  ///< add y, too
};

/// All rows for the vector columns [first, last).
void unpacked_gemm(const UnpackedGemm&, int first, int last, const float* x, const float* w,
                   float* y, const float* residual);

}  // namespace webnn::inline v0_1::simd
