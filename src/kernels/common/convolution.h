// The sizes of a conv2d, whatever its layout, and its filter in one order.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "webnn/ops/sections.h"

namespace webnn::inline v0_1 {

/// All sizes are valid dimensions that infer() has checked.
struct Convolution {
  int batch, height, width, channels;  // of the input
  int out_height, out_width, out_channels;
  int kernel_height, kernel_width;
  int stride_y, stride_x, dilation_y, dilation_x;
  int pad_top, pad_bottom, pad_left, pad_right;
  int groups;
  bool nhwc;

  int group_inputs() const { return channels / groups; }
  int group_outputs() const { return out_channels / groups; }
  bool depthwise() const { return groups > 1 && groups == channels && channels == out_channels; }
  /// 1x1, stride 1, no padding: a product of matrices.
  bool pointwise() const {
    return groups == 1 && kernel_height == 1 && kernel_width == 1 && stride_y == 1 &&
           stride_x == 1 && pad_top == 0 && pad_bottom == 0 && pad_left == 0 && pad_right == 0;
  }
  bool dilated() const { return dilation_y > 1 || dilation_x > 1; }
  /// Rows and columns from the first to the last element of a window.
  int effective_height() const { return (kernel_height - 1) * dilation_y + 1; }
  int effective_width() const { return (kernel_width - 1) * dilation_x + 1; }
  /// Whether a window may have no element of the input: the padding is as large as a window, or the
  /// input lies between two elements of a dilated one.
  bool windows_outside() const {
    const bool between_rows = kernel_height > 1 && dilation_y > height;
    const bool between_columns = kernel_width > 1 && dilation_x > width;
    return std::max(pad_top, pad_bottom) >= effective_height() ||
           std::max(pad_left, pad_right) >= effective_width() || between_rows || between_columns;
  }
  std::size_t pixels() const {
    return static_cast<std::size_t>(batch) * static_cast<std::size_t>(out_height) *
           static_cast<std::size_t>(out_width);
  }
  double macs() const {
    return static_cast<double>(pixels()) * out_channels * kernel_height * kernel_width *
           group_inputs();
  }
  /// A pointwise nhwc convolution as one of rows of pixels, of all images; others as they are.
  Convolution flattened() const;
};
/// An image of one column is one of one row. Nothing when a number does not fit into an int:
/// paddings, strides and dilations are unsigned numbers of 32 bits.
std::optional<Convolution> convolution_of(const ops::conv2d& op, const MLOperand& output);

/// How far apart the elements of a filter are, by dimension.
struct FilterStrides {
  std::size_t output = 0, height = 0, width = 0, input = 0;
};
inline FilterStrides filter_strides(const ops::Filter& f, MLConv2dFilterOperandLayout layout) {
  using enum MLConv2dFilterOperandLayout;
  const std::size_t I = f.inputs, H = f.height, W = f.width, O = f.outputs;
  switch (layout) {
    case oihw: return {I * H * W, W, 1, H * W};
    case hwio: return {1, W * I * O, I * O, O};
    case ohwi: return {H * W * I, W * I, I, 1};
    case ihwo: return {1, W * O, O, H * W * O};
  }
  return {};
}
/// The elements of a filter of that layout in the order [out][height][width][in / groups].
template <class T>
std::vector<T> in_ohwi(std::span<const T> from, const ops::Filter& f,
                       MLConv2dFilterOperandLayout layout) {
  const FilterStrides s = filter_strides(f, layout);
  std::vector<T> to(from.size());
  auto next = to.begin();
  for (std::size_t o = 0; o < f.outputs; ++o)
    for (std::size_t h = 0; h < f.height; ++h)
      for (std::size_t w = 0; w < f.width; ++w)
        for (std::size_t i = 0; i < f.inputs; ++i)
          *next++ = from[o * s.output + h * s.height + w * s.width + i * s.input];
  return to;
}
/// A constant filter, whatever its layout, as [out][height][width][in / groups] float32.
std::vector<float> filter_ohwi(const ops::conv2d& op);
/// One element of the result, in plain arithmetic: of an image, [height][width][channels].
float convolved_at(const Convolution& c, const float* image, const float* filter,
                   const FilterStrides& strides, const float* bias, int row, int column,
                   int channel);
/// The elements of a constant float32 operand.
std::span<const float> floats_of(const MLOperand& constant);

}  // namespace webnn::inline v0_1
