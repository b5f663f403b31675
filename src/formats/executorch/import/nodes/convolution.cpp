// Conv2d, DepthwiseConv2d and ConvTranspose2d: images and filters are NHWC.
#include "src/formats/common/same_padding.h"
#include "src/formats/executorch/import/node.h"
#include "src/formats/executorch/import/product.h"

namespace webnn::inline v0_1::executorch {
namespace {

using Kind = xnn::NodeUnion;

Dims padding_of(const NodeCall& c, const xnn::NodeConv& t, const Dims& image) {
  if (!(t.flags() & same_padding_flag))
    return {t.padding_top(), t.padding_bottom(), t.padding_left(), t.padding_right()};
  if (t.padding_top() || t.padding_bottom() || t.padding_left() || t.padding_right())
    c.refuse(fail("it has both explicit padding and the flag for TensorFlow's padding"));
  if (t.subsampling_height() == 0 || t.subsampling_width() == 0 || t.kernel_height() == 0 ||
      t.kernel_width() == 0)
    c.refuse(fail("its strides and sizes are not greater than 0"));
  const auto [top, bottom] = formats::same_padding(
      image[1], {t.kernel_height(), t.subsampling_height(), t.dilation_height()});
  const auto [left, right] = formats::same_padding(
      image[2], {t.kernel_width(), t.subsampling_width(), t.dilation_width()});
  return {top, bottom, left, right};
}

/// The filter has these sizes, whatever its value says of them.
void check_filter(const NodeCall& c, const MLOperand& filter, const Dims& expected) {
  if (filter.shape() != expected)
    c.refuse(fail("its filter has shape {}, not {}", filter.shape(), expected));
}

std::uint32_t product(const NodeCall& c, std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0 || a * b > max_tensor_byte_length)
    c.refuse(
        fail("the channels {} times {} are not between 1 and {}", a, b, max_tensor_byte_length));
  return static_cast<std::uint32_t>(a * b);
}

MLConv2dOptions options_of(const NodeCall& c, const xnn::NodeConv& t, const Dims& image) {
  return {.padding = padding_of(c, t, image),
          .strides = {t.subsampling_height(), t.subsampling_width()},
          .dilations = {t.dilation_height(), t.dilation_width()},
          .groups = t.groups(),
          .inputLayout = MLInputOperandLayout::nhwc,
          .label = c.label(t.output_id())};
}

/// On numbers; where the input is quantized by rows, on its integers.
void put_conv2d(NodeCall& c, const xnn::NodeConv& t, MLConv2dOptions options) {
  const Factors f = factors_of(c, t.input1_id(), t.filter_id(), c.stored(t.input1_id()).shape()[0]);
  std::optional<MLOperand> bias;
  if (c.has(t.bias_id())) bias = c.converted(c.numbers(t.bias_id()), f.x);
  if (!f.scale) options.bias = bias;
  MLOperand y = c.b.conv2d(f.x, f.filter, options);
  y = rescaled(c, f, std::move(y), bias);
  c.put(t.output_id(), c.clamped(y));
}

void conv2d(NodeCall& c) {
  const auto& t = c.table<xnn::NodeConv>();
  c.check_flags(t.flags(), same_padding_flag | float32_weights);
  const MLOperand x = c.stored(t.input1_id());
  c.require_rank(x, 4);
  MLConv2dOptions o = options_of(c, t, x.shape());
  o.filterLayout = MLConv2dFilterOperandLayout::ohwi;
  check_filter(c, c.stored(t.filter_id()),
               {product(c, t.groups(), t.group_output_channels()), t.kernel_height(),
                t.kernel_width(), t.group_input_channels()});
  put_conv2d(c, t, std::move(o));
}

/// The filter is [1, height, width, groups * multiplier].
void depthwise_conv2d(NodeCall& c) {
  const auto& t = c.table<xnn::NodeConv>();
  c.check_flags(t.flags(), same_padding_flag | float32_weights);
  const MLOperand x = c.stored(t.input1_id());
  c.require_rank(x, 4);
  MLConv2dOptions o = options_of(c, t, x.shape());
  o.filterLayout = MLConv2dFilterOperandLayout::ihwo;
  if (t.group_input_channels() == 0) c.refuse(fail("group_input_channels is 0"));
  const std::uint32_t multiplier = t.group_output_channels() / t.group_input_channels();
  check_filter(c, c.stored(t.filter_id()),
               {1, t.kernel_height(), t.kernel_width(), product(c, t.groups(), multiplier)});
  put_conv2d(c, t, std::move(o));
}

/// From [groups * outputs, height, width, inputs of a group] to WebNN's [outputs of a group,
/// height, width, inputs].
MLOperand by_inputs(const NodeCall& c, const MLOperand& filter, std::uint32_t groups) {
  if (groups == 1) return filter;
  const Dims f = filter.shape();
  const MLOperand split = c.b.reshape(filter, {groups, f[0] / groups, f[1], f[2], f[3]});
  return c.b.reshape(c.b.transpose(split, {.permutation = {1, 2, 3, 0, 4}}),
                     {f[0] / groups, f[1], f[2], groups * f[3]});
}

void conv_transpose2d(NodeCall& c) {
  const auto& t = c.table<xnn::NodeConv>();
  c.check_flags(t.flags(), float32_weights);
  const MLOperand stored = c.stored(t.input1_id());
  c.require_rank(stored, 4);
  const std::uint32_t outputs = product(c, t.groups(), t.group_output_channels());
  product(c, t.groups(), t.group_input_channels());
  check_filter(c, c.stored(t.filter_id()),
               {outputs, t.kernel_height(), t.kernel_width(), t.group_input_channels()});
  const Factors f = factors_of(c, t.input1_id(), t.filter_id(), stored.shape()[0]);
  std::optional<MLOperand> bias;
  if (c.has(t.bias_id())) bias = c.converted(c.numbers(t.bias_id()), f.x);
  MLConvTranspose2dOptions o{
      .padding = {t.padding_top(), t.padding_bottom(), t.padding_left(), t.padding_right()},
      .strides = {t.subsampling_height(), t.subsampling_width()},
      .dilations = {t.dilation_height(), t.dilation_width()},
      .outputPadding = {t.adjustment_height(), t.adjustment_width()},
      .groups = t.groups(),
      .inputLayout = MLInputOperandLayout::nhwc,
      .filterLayout = MLConvTranspose2dFilterOperandLayout::ohwi,
      .label = c.label(t.output_id())};
  if (!f.scale) o.bias = bias;
  MLOperand y = c.b.convTranspose2d(f.x, by_inputs(c, f.filter, t.groups()), o);
  c.put(t.output_id(), c.clamped(rescaled(c, f, std::move(y), bias)));
}

}  // namespace

Handler convolution_handler(Kind kind) {
  switch (kind) {
    case Kind::Conv2d: return conv2d;
    case Kind::DepthwiseConv2d: return depthwise_conv2d;
    case Kind::ConvTranspose2d: return conv_transpose2d;
    default: return nullptr;
  }
}

}  // namespace webnn::inline v0_1::executorch
