#include "src/kernels/common/convolution.h"

#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1 {
namespace {

/// An image of one column as one of one row, whose elements have the same order in every layout, as
/// those of the filter have: kernels cut rows into blocks of pixels.
Convolution with_columns(Convolution c) {
  const bool one_column =
      c.width == 1 && c.kernel_width == 1 && c.pad_left == 0 && c.pad_right == 0;
  if (!one_column || c.height == 1) return c;
  std::swap(c.height, c.width);
  std::swap(c.out_height, c.out_width);
  std::swap(c.kernel_height, c.kernel_width);
  std::swap(c.stride_y, c.stride_x);
  std::swap(c.dilation_y, c.dilation_x);
  std::swap(c.pad_top, c.pad_left);
  std::swap(c.pad_bottom, c.pad_right);
  return c;
}

}  // namespace

std::optional<Convolution> convolution_of(const ops::conv2d& op, const MLOperand& output) {
  const MLConv2dOptions& o = op.options;
  constexpr std::uint32_t max_number = 1 << 24;  // a sum of a few of them fits an int
  for (const Dims* list : {&o.padding, &o.strides, &o.dilations})
    for (std::uint32_t v : *list)
      if (v > max_number) return std::nullopt;
  for (const Dims* shape : {&op.input.shape(), &op.filter.shape(), &output.shape()})
    for (std::uint32_t v : *shape)
      if (v > max_number) return std::nullopt;
  const shape::Image in = shape::image(op.input.shape(), o.inputLayout);
  const shape::Image out = shape::image(output.shape(), o.inputLayout);
  const ops::Filter f = ops::filter_sizes(op.filter.shape(), o.filterLayout);
  const auto n = [](std::uint64_t v) { return static_cast<int>(v); };
  return with_columns({.batch = n(in.batch),
                       .height = n(in.height),
                       .width = n(in.width),
                       .channels = n(in.channels),
                       .out_height = n(out.height),
                       .out_width = n(out.width),
                       .out_channels = n(out.channels),
                       .kernel_height = n(f.height),
                       .kernel_width = n(f.width),
                       .stride_y = n(o.strides[0]),
                       .stride_x = n(o.strides[1]),
                       .dilation_y = n(o.dilations[0]),
                       .dilation_x = n(o.dilations[1]),
                       .pad_top = n(o.padding[0]),
                       .pad_bottom = n(o.padding[1]),
                       .pad_left = n(o.padding[2]),
                       .pad_right = n(o.padding[3]),
                       .groups = n(o.groups),
                       .nhwc = o.inputLayout == MLInputOperandLayout::nhwc});
}

std::span<const float> floats_of(const MLOperand& constant) {
  const auto bytes = constant.constant()->bytes();
  return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

float convolved_at(const Convolution& c, const float* image, const float* filter,
                   const FilterStrides& s, const float* bias, int row, int column, int channel) {
  const int first = channel / c.group_outputs() * c.group_inputs();
  double sum = bias ? static_cast<double>(bias[channel]) : 0;
  for (int kh = 0; kh < c.kernel_height; ++kh)
    for (int kw = 0; kw < c.kernel_width; ++kw) {
      const int h = row * c.stride_y - c.pad_top + kh * c.dilation_y;
      const int w = column * c.stride_x - c.pad_left + kw * c.dilation_x;
      if (h < 0 || w < 0 || h >= c.height || w >= c.width) continue;
      const float* pixel =
          image + (to_size(h) * to_size(c.width) + to_size(w)) * to_size(c.channels) + first;
      const float* weights =
          filter + to_size(channel) * s.output + to_size(kh) * s.height + to_size(kw) * s.width;
      for (int i = 0; i < c.group_inputs(); ++i)
        sum += static_cast<double>(pixel[i]) * static_cast<double>(weights[to_size(i) * s.input]);
    }
  return static_cast<float>(sum);
}

std::vector<float> filter_ohwi(const ops::conv2d& op) {
  const auto layout = op.options.filterLayout;
  return in_ohwi(floats_of(op.filter), ops::filter_sizes(op.filter.shape(), layout), layout);
}

Convolution Convolution::flattened() const {
  Convolution c = *this;
  if (!pointwise() || !nhwc) return c;
  c.batch = c.width = c.out_width = 1;
  c.height = c.out_height = static_cast<int>(pixels());
  return c;
}

}  // namespace webnn::inline v0_1
