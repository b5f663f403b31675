// Depthwise convolutions and average pooling over NHWC images.
#pragma once

#include <cstddef>

#include "src/kernels/common/epilogue.h"

namespace webnn::inline v0_1::simd {

/// Small filters have at most this many rows.
inline constexpr int max_filter_rows = 7;

/// y = epilogue(x filtered channel by channel + bias, residual). w: [kernel_h *
/// kernel_w][channels].
struct Depthwise {
  const float* w = nullptr;
  const float* bias = nullptr;
  int height, width, channels, out_height, out_width;
  int kernel_h = 3, kernel_w = 3, stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  int pad_top = 1, pad_left = 1;
  Epilogue epilogue{};

  /// Whether the kernel for small filters supports it, which reads a column of the image once for
  /// all adjacent pixels of the result. Filters of 1 and 2 columns share too little.
  bool is_small() const {
    const bool width = kernel_w == 3 || kernel_w == 5 || kernel_w == 7;
    return width && kernel_h <= max_filter_rows &&
           (stride_x == 1 || (stride_x == 2 && dilation_x == 1));
  }
};

/// Rows [first, last) of the result of one image; y and residual point at row 0.
void depthwise(const Depthwise&, int first, int last, const float* x, float* y,
               const float* residual);

}  // namespace webnn::inline v0_1::simd
