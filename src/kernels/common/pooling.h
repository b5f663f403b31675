// The sizes of a pool2d, whatever its layout.
#pragma once

#include <algorithm>
#include <optional>

#include "webnn/ops/pool2d.h"

namespace webnn::inline v0_1 {

/// All sizes are valid dimensions; nothing is above 2^24, so that a sum of a few fits an int.
struct Pooling2d {
  int batch, height, width, channels;  // of the input
  int out_height, out_width;
  int window_height, window_width;
  int stride_y, stride_x, dilation_y, dilation_x;
  int pad_top, pad_left;  // the padding at the end follows from the sizes
  bool nhwc;

  int effective_height() const { return (window_height - 1) * dilation_y + 1; }
  int effective_width() const { return (window_width - 1) * dilation_x + 1; }
  /// The rows and columns that the last window reads beyond the input; negative: those that no
  /// window reads.
  int beyond_bottom() const {
    return (out_height - 1) * stride_y + effective_height() - pad_top - height;
  }
  int beyond_right() const {
    return (out_width - 1) * stride_x + effective_width() - pad_left - width;
  }
  bool padded() const {
    return pad_top > 0 || pad_left > 0 || beyond_bottom() > 0 || beyond_right() > 0;
  }
  bool dilated() const { return dilation_y > 1 || dilation_x > 1; }
};
/// The windows of a pooling along one side of the image.
struct PoolingSide {
  std::int64_t in, out, window, padding, stride, dilation;

  struct Span {
    std::size_t first, count, step;  // positions of the input
  };
  /// The elements of a window that are inside of the input.
  Span inside(std::int64_t o) const {
    const std::int64_t start = o * stride - padding;
    const auto every = static_cast<std::size_t>(dilation);
    if (start >= 0 && (window - 1) * dilation < in - start)
      return {static_cast<std::size_t>(start), static_cast<std::size_t>(window), every};
    const std::int64_t from = start >= 0 ? 0 : (-start + dilation - 1) / dilation;
    const std::int64_t to =
        start >= in ? 0 : std::min(window, (in - start + dilation - 1) / dilation);
    if (from >= to) return {0, 0, 0};
    return {static_cast<std::size_t>(start + from * dilation), static_cast<std::size_t>(to - from),
            every};
  }
};
/// 0: down the rows, 1: across the columns. Of the shapes of the input and of the result.
PoolingSide pooling_side(std::size_t direction, const MLPool2dOptions& options, const Dims& input,
                         const Dims& output);

/// Nothing when a number is too large.
std::optional<Pooling2d> pooling_of(const MLOperand& input, const MLPool2dOptions& options,
                                    const MLOperand& output);
/// The largest element of one window of an image, NaN if there is one.
float largest_in_window(const Pooling2d& p, const float* image, int channel, int row, int column);
/// The mean of one window of an image.
float mean_of_window(const Pooling2d& p, const float* image, int channel, int row, int column);
/// Whether every window has at least one element of the input.
bool windows_meet_input(const Pooling2d& p);

}  // namespace webnn::inline v0_1
