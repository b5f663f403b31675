// Convolutions of small groups of channels over NHWC images.
#pragma once

#include <cstddef>

#include "src/kernels/common/epilogue.h"

namespace webnn::inline v0_1::simd {

/// y = epilogue(x convolved + bias, residual), where an output channel reads the inputs of its
/// group alone, of which there are as many as outputs.
struct Grouped {
  /// [block of channels][vector][kernel_h][input of the group][kernel_w][lanes]
  const float* w = nullptr;
  const float* bias = nullptr;  ///< padded to whole blocks
  int height, width, channels, out_height, out_width;
  int group;  ///< channels; divides the lanes of a vector, or is a multiple of them
  int kernel_h = 3, kernel_w = 3, stride_y = 1, stride_x = 1, dilation_y = 1, dilation_x = 1;
  int pad_top = 1, pad_left = 1;
  Epilogue epilogue{};

  static constexpr int max_kernel_h = 7;
  /// Whether there is a kernel: `group` on this machine, and strides of columns of 1 or 2.
  bool supported() const;
  /// Channels that are computed together: whole groups and whole vectors.
  int block() const;
  int blocks() const { return (channels + block() - 1) / block(); }
  std::size_t weights() const;  ///< floats of w for one block
  /// Columns of the copied rows of the image.
  int columns() const { return (out_width - 1) * stride_x + (kernel_w - 1) * dilation_x + 1; }
  /// Rows of the image in the ring buffer, for two rows of the result.
  int ring() const { return (kernel_h - 1) * dilation_y + 2; }
  std::size_t scratch() const;  ///< floats
};

/// Rows [first, last) of one block of channels of one image; x, y and residual point at the image.
void grouped_conv(const Grouped&, int block, int first, int last, const float* x, float* y,
                  const float* residual, float* scratch);

}  // namespace webnn::inline v0_1::simd
