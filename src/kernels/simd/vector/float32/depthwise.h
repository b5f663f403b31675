// Depthwise convolutions and average pooling over NHWC images.
#pragma once

#include <cstddef>

#include "src/kernels/common/fused.h"

namespace webnn::simd {

/// y = epilogue(x filtered channel by channel + bias, residual). w: [kernel_h *
/// kernel_w][channels].
struct Depthwise {
  const float* w = nullptr;
  const float* bias = nullptr;
  int height, width, channels, out_height, out_width;
  int kernel_h = 3, kernel_w = 3, stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  int pad_top = 1, pad_left = 1;
  Epilogue epilogue{};

  /// Whether the kernel for 3x3 supports it: at most one column of padding on each side.
  bool supports_3x3() const {
    return kernel_h == 3 && kernel_w == 3 && dilation_y == 1 && dilation_x == 1 &&
           stride_x == stride_y && stride_x <= 2 && pad_left <= 1 &&
           (out_width - 1) * stride_x + 2 - pad_left <= width;
  }
};

/// Rows [first, last) of the result of one image; y and residual point at row 0.
void depthwise(const Depthwise&, int first, int last, const float* x, float* y,
               const float* residual);

}  // namespace webnn::simd
