#include "src/formats/tflite/import/bias.h"
#include "src/formats/tflite/import/hybrid.h"
#include "src/formats/tflite/import/sliding_window.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;
using schema::ActivationFunctionType;

/// The convolution of numbers; with a hybrid filter, of integers. A filter with several scales has
/// an input that is quantized asymmetrically, and so has every depthwise one.
void put_conv2d(const Call& c, MLConv2dOptions options, bool depthwise, ActivationFunctionType f) {
  if (!is_hybrid(c, 0, 1))
    return c.put(c.activated(c.b.conv2d(c.value(0), c.value(1), std::move(options)), f));
  const bool asymmetric = depthwise || c.in(1).scales->scale.size() > 1;
  const auto [x, scale] = quantized_in_run(c, c.value(0), asymmetric);
  const auto bias = std::exchange(options.bias, std::nullopt);
  const MLOperand y = c.b.conv2d(x, unscaled(c, 1), std::move(options));
  c.put(c.activated(rescaled(c, y, scale, 1, bias), f));
}

struct Window {
  WindowAxis height, width;
};

/// What the filter of a convolution, which may be a depthwise one, covers.
template <class Options> Window window_of(const Call& c, const Options& o) {
  const MLOperand filter = c.stored(1);
  c.require_rank(c.stored(0), 4, 4);
  c.require_rank(filter, 4, 4);
  return {{filter.shape()[1], c.dimension(o.stride_h, "stride_h"),
           c.dimension(o.dilation_h_factor, "dilation_h_factor")},
          {filter.shape()[2], c.dimension(o.stride_w, "stride_w"),
           c.dimension(o.dilation_w_factor, "dilation_w_factor")}};
}

MLConv2dOptions conv2d_options(const Call& c, schema::Padding padding, const Window& window,
                               std::uint32_t groups, MLConv2dFilterOperandLayout layout) {
  const std::size_t output_axis = layout == MLConv2dFilterOperandLayout::ohwi ? 0 : 3;
  return {.padding = padding_of(c, padding, c.stored(0).shape(), window.height, window.width),
          .strides = {window.height.stride, window.width.stride},
          .dilations = {window.height.dilation, window.width.dilation},
          .groups = groups,
          .inputLayout = MLInputOperandLayout::nhwc,
          .filterLayout = layout,
          .bias = bias_of(c, 2, 0, 1, c.stored(1).shape()[output_axis]),
          .label = c.label()};
}

void conv2d(Call& c) {
  const auto o = c.options<schema::Conv2DOptionsT>();
  const Window window = window_of(c, o);
  const std::uint32_t channels = c.stored(0).shape()[3], per_group = c.stored(1).shape()[3];
  if (channels % per_group != 0)
    c.refuse(fail("the channels ({}) of the filter do not divide those of the input ({})",
                  per_group, channels));
  put_conv2d(
      c,
      conv2d_options(c, o.padding, window, channels / per_group, MLConv2dFilterOperandLayout::ohwi),
      false, o.fused_activation_function);
}

/// The filter is [1, height, width, channels * multiplier].
void depthwise_conv2d(Call& c) {
  const auto o = c.options<schema::DepthwiseConv2DOptionsT>();
  const Window window = window_of(c, o);
  put_conv2d(c,
             conv2d_options(c, o.padding, window, c.stored(0).shape()[3],
                            MLConv2dFilterOperandLayout::ihwo),
             true, o.fused_activation_function);
}

struct Crop {
  std::uint32_t beginning, ending;
};

/// What is cropped from a transposed convolution so that its result has that size.
Crop crop_of(const Call& c, schema::Padding padding, std::uint32_t input, std::uint32_t output,
             WindowAxis axis) {
  const std::uint64_t strides = (output - 1) / axis.stride + 1;
  const std::uint32_t beginning =
      padding == schema::Padding::SAME ? same_padding(output, strides, axis).first : 0;
  const std::uint64_t extent = (std::uint64_t{input} - 1) * axis.stride + axis.size;
  const std::uint64_t wanted = std::uint64_t{output} + beginning;
  if (wanted >= extent + axis.stride)
    c.unsupported(fail("a result of size {} for an input of {} with a stride of {}", output, input,
                       axis.stride));
  return {beginning, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                         extent > wanted ? extent - wanted : 0, UINT32_MAX))};
}

/// Inputs: the shape of the result, filter, input, bias.
void transpose_conv(Call& c) {
  const auto o = c.options<schema::TransposeConvOptionsT>();
  const auto shape = c.ints(0);
  const MLOperand filter = c.value(1), x = c.value(2);
  c.require_rank(x, 4, 4);
  c.require_rank(filter, 4, 4);
  if (shape.size() != 4) c.refuse(fail("the shape of the result has {} dimensions", shape.size()));
  if (o.padding != schema::Padding::SAME && o.padding != schema::Padding::VALID)
    c.refuse(fail("the padding ({}) is neither SAME nor VALID", static_cast<int>(o.padding)));
  const std::uint32_t height = c.dimension(shape[1], "the height of the result"),
                      width = c.dimension(shape[2], "the width of the result");
  const WindowAxis down{filter.shape()[1], c.dimension(o.stride_h, "stride_h")};
  const WindowAxis across{filter.shape()[2], c.dimension(o.stride_w, "stride_w")};
  const Crop rows = crop_of(c, o.padding, x.shape()[1], height, down);
  const Crop columns = crop_of(c, o.padding, x.shape()[2], width, across);
  MLConvTranspose2dOptions options{
      .padding = {rows.beginning, rows.ending, columns.beginning, columns.ending},
      .strides = {down.stride, across.stride},
      .outputSizes = {height, width},
      .inputLayout = MLInputOperandLayout::nhwc,
      .filterLayout = MLConvTranspose2dFilterOperandLayout::ohwi,
      .bias = bias_of(c, 3, 2, 1, filter.shape()[0]),
      .label = c.label()};
  c.put(
      c.activated(c.b.convTranspose2d(x, filter, std::move(options)), o.fused_activation_function));
}

constexpr Handler handlers[] = {
    {Code::CONV_2D, conv2d, 2, 3},
    {Code::DEPTHWISE_CONV_2D, depthwise_conv2d, 2, 3},
    {Code::TRANSPOSE_CONV, transpose_conv, 3, 4},
};

}  // namespace

std::span<const Handler> conv2d_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
