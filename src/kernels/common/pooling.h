// A pool2d as kernels see it: sizes instead of layouts.
#pragma once

#include <optional>

#include "webnn/ops/pool2d.h"

namespace webnn {

/// All sizes are valid dimensions; nothing is above 2^24, so that a sum of a few fits an int.
struct Pooling2d {
  int batch, height, width, channels;  // of the input
  int out_height, out_width;
  int window_height, window_width;
  int stride_y, stride_x, dilation_y, dilation_x;
  int pad_top, pad_left;  // what lies beyond the input at the end follows from the sizes
  bool nhwc;

  int reach_y() const { return (window_height - 1) * dilation_y + 1; }
  int reach_x() const { return (window_width - 1) * dilation_x + 1; }
  /// The rows and columns that the last window reads beyond the input; negative: those left over.
  int beyond_bottom() const { return (out_height - 1) * stride_y + reach_y() - pad_top - height; }
  int beyond_right() const { return (out_width - 1) * stride_x + reach_x() - pad_left - width; }
  bool padded() const {
    return pad_top > 0 || pad_left > 0 || beyond_bottom() > 0 || beyond_right() > 0;
  }
  bool dilated() const { return dilation_y > 1 || dilation_x > 1; }
};
/// Nothing when a number is too large.
std::optional<Pooling2d> pooling_of(const MLOperand& input, const MLPool2dOptions& options,
                                    const MLOperand& output);
/// Whether every window has at least one element of the input.
bool windows_meet_input(const Pooling2d& p);

}  // namespace webnn
