#include <cstring>

#include "src/formats/tflite/import/bias.h"
#include "src/formats/tflite/import/hybrid.h"
#include "src/formats/tflite/import/paddings.h"
#include "src/formats/tflite/import/sliding_window.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;
using schema::ActivationFunctionType;

/// The convolution of numbers; with a hybrid filter, of integers. A filter with several scales has
/// an input that is quantized asymmetrically, and so has every depthwise one.
void put_conv2d(const Call& c, const MLOperand& image, MLConv2dOptions options, bool depthwise,
                ActivationFunctionType f) {
  if (!is_hybrid(c, 0, 1))
    return c.put(c.activated(c.b.conv2d(image, c.value(1), std::move(options)), f));
  const bool asymmetric = depthwise || c.in(1).scales->scale.size() > 1;
  const auto [x, scale] = quantized_in_run(c, image, asymmetric);
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

MLConv2dOptions conv2d_options(const Call& c, const WindowPadding& padding, const Window& window,
                               std::uint32_t groups, MLConv2dFilterOperandLayout layout) {
  const std::size_t output_axis = layout == MLConv2dFilterOperandLayout::ohwi ? 0 : 3;
  return {.padding = padding.dims(),
          .strides = {window.height.stride, window.width.stride},
          .dilations = {window.height.dilation, window.width.dilation},
          .groups = groups,
          .inputLayout = MLInputOperandLayout::nhwc,
          .filterLayout = layout,
          .bias = bias_of(c, 2, 0, 1, c.stored(1).shape()[output_axis]),
          .label = c.label()};
}

/// The channels of the input, which decide the groups.
std::uint32_t channels_of(const Call& c) {
  return static_cast<std::uint32_t>(Size::dimension(c.stored(0), 3).number());
}

/// The numbers of the input, with zeros around it where the padding is known only in a run.
MLOperand image_of(const Call& c, WindowPadding& padding) {
  const TensorInfo& t = c.in(0);
  const bool several = t.scales && t.scales->scale.size() > 1;
  if (several || bits_of(c.stored(0).dataType()) < 8)
    return with_open_padding(c, c.value(0), padding, 0.0);
  return c.numbers(0, with_open_padding(c, c.stored(0), padding, zero_of(t)));
}

void conv2d(Call& c) {
  const auto o = c.options<schema::Conv2DOptionsT>();
  const Window window = window_of(c, o);
  const std::uint32_t channels = channels_of(c), per_group = c.stored(1).shape()[3];
  if (channels % per_group != 0)
    c.refuse(fail("the channels ({}) of the filter do not divide those of the input ({})",
                  per_group, channels));
  WindowPadding padding = padding_of(c, o.padding, c.stored(0), window.height, window.width);
  const MLOperand image = image_of(c, padding);
  put_conv2d(
      c, image,
      conv2d_options(c, padding, window, channels / per_group, MLConv2dFilterOperandLayout::ohwi),
      false, o.fused_activation_function);
}

/// The filter is [1, height, width, channels * multiplier].
void depthwise_conv2d(Call& c) {
  const auto o = c.options<schema::DepthwiseConv2DOptionsT>();
  const Window window = window_of(c, o);
  WindowPadding padding = padding_of(c, o.padding, c.stored(0), window.height, window.width);
  const MLOperand image = image_of(c, padding);
  put_conv2d(c, image,
             conv2d_options(c, padding, window, channels_of(c), MLConv2dFilterOperandLayout::ihwo),
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

/// One axis of a transposed convolution whose sizes are open.
struct OpenCrop {
  Size beginning, output, missing;  // what is taken of the whole result, and what it lacks
};

OpenCrop open_crop(schema::Padding padding, const Size& input, const Size& output,
                   WindowAxis axis) {
  const std::int64_t stride = axis.stride;
  const Size strides = (output - 1) / stride + 1, extent = (input - 1) * stride + axis.size;
  const Size total = max((strides - 1) * stride + axis.size - output, 0);
  const Size beginning = padding == schema::Padding::SAME ? total / 2 : 0;
  return {beginning, output, max(beginning + output - extent, 0)};
}

/// The part of the whole result that has the size of a run. The bias is added to zeros behind it
/// too.
MLOperand transposed_open(const Call& c, const MLOperand& x, const MLOperand& filter,
                          const OpenCrop& rows, const OpenCrop& columns,
                          MLConvTranspose2dOptions options) {
  const auto bias = std::exchange(options.bias, std::nullopt);
  MLOperand y = c.b.convTranspose2d(x, filter, std::move(options));
  y = formats::pad(c.b, y, {0, 0, 0, 0}, {0, rows.missing, columns.missing, 0});
  SizeList sizes = formats::sizes_of(y);
  sizes[1] = rows.output;
  sizes[2] = columns.output;
  y = formats::slice(c.b, y, {0, rows.beginning, columns.beginning, 0}, sizes);
  return bias ? c.b.add(y, *bias) : y;
}

/// Inputs: the shape of the result, filter, input, bias.
void transpose_conv(Call& c) {
  const auto o = c.options<schema::TransposeConvOptionsT>();
  const SizeList shape = c.list(0);
  const MLOperand filter = c.value(1), x = c.value(2);
  c.require_rank(x, 4, 4);
  c.require_rank(filter, 4, 4);
  if (shape.size() != 4) c.refuse(fail("the shape of the result has {} dimensions", shape.size()));
  if (o.padding != schema::Padding::SAME && o.padding != schema::Padding::VALID)
    c.refuse(fail("the padding ({}) is neither SAME nor VALID", static_cast<int>(o.padding)));
  const SizeList sizes{c.dimension(shape[1], "the height of the result"),
                       c.dimension(shape[2], "the width of the result")};
  const WindowAxis down{filter.shape()[1], c.dimension(o.stride_h, "stride_h")};
  const WindowAxis across{filter.shape()[2], c.dimension(o.stride_w, "stride_w")};
  MLConvTranspose2dOptions options{.strides = {down.stride, across.stride},
                                   .inputLayout = MLInputOperandLayout::nhwc,
                                   .filterLayout = MLConvTranspose2dFilterOperandLayout::ohwi,
                                   .bias = bias_of(c, 3, 2, 1, filter.shape()[0]),
                                   .label = c.label()};
  const Size in_rows = Size::dimension(x, 1), in_columns = Size::dimension(x, 2);
  MLOperand y;
  if (formats::are_known({sizes[0], sizes[1], in_rows, in_columns})) {
    const Dims in = formats::dims_of({in_rows, in_columns}), out = formats::dims_of(sizes);
    const Crop rows = crop_of(c, o.padding, in[0], out[0], down);
    const Crop columns = crop_of(c, o.padding, in[1], out[1], across);
    options.padding = {rows.beginning, rows.ending, columns.beginning, columns.ending};
    options.outputSizes = out;
    y = c.b.convTranspose2d(x, filter, std::move(options));
  } else {
    y = transposed_open(c, x, filter, open_crop(o.padding, in_rows, sizes[0], down),
                        open_crop(o.padding, in_columns, sizes[1], across), std::move(options));
  }
  c.put(c.activated(y, o.fused_activation_function));
}

/// MediaPipe's: the result has the size that a convolution of it would have been computed from, and
/// the options are three int32: the padding (1: SAME, 2: VALID), stride_width and stride_height.
void transpose_conv_with_bias(Call& c) {
  std::int32_t o[3] = {};
  const auto bytes = c.custom_options();
  if (bytes.size() < sizeof o) c.refuse(fail("its options have {} bytes, not 12", bytes.size()));
  std::memcpy(o, bytes.data(), sizeof o);
  if (o[0] != 1 && o[0] != 2)
    c.refuse(fail("the padding ({}) is neither 1 (SAME) nor 2 (VALID)", o[0]));
  const MLOperand x = c.value(0), filter = c.value(1);
  c.require_rank(x, 4, 4);
  c.require_rank(filter, 4, 4);
  const WindowAxis axes[] = {{filter.shape()[1], c.dimension(o[2], "stride_height")},
                             {filter.shape()[2], c.dimension(o[1], "stride_width")}};
  SizeList beginnings, endings;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const std::int64_t size = axes[i].size, stride = axes[i].stride;
    const Size last = Size::dimension(x, 1 + i) - 1;
    const Size total = o[0] == 1 ? max(last / stride * stride - last + (size - 1), 0) : Size(0);
    beginnings.push_back(total / 2);
    endings.push_back(total - total / 2);
  }
  MLConvTranspose2dOptions options{.strides = {axes[0].stride, axes[1].stride},
                                   .inputLayout = MLInputOperandLayout::nhwc,
                                   .filterLayout = MLConvTranspose2dFilterOperandLayout::ohwi,
                                   .bias = bias_of(c, 2, 1, 1, filter.shape()[0]),
                                   .label = c.label()};
  const SizeList padding{beginnings[0], endings[0], beginnings[1], endings[1]};
  if (formats::are_known(padding)) {
    options.padding = formats::dims_of(padding);
    return c.put(c.b.convTranspose2d(x, filter, std::move(options)));
  }
  const MLOperand y = c.b.convTranspose2d(x, filter, std::move(options));
  SizeList sizes = formats::sizes_of(y);
  for (std::uint32_t i = 0; i < 2; ++i) sizes[1 + i] = sizes[1 + i] - beginnings[i] - endings[i];
  c.put(formats::slice(c.b, y, {0, beginnings[0], beginnings[1], 0}, sizes));
}

constexpr Handler handlers[] = {
    {Code::CUSTOM, transpose_conv_with_bias, 3, 3, 1, 1, "Convolution2DTransposeBias"},
    {Code::CONV_2D, conv2d, 2, 3},
    {Code::DEPTHWISE_CONV_2D, depthwise_conv2d, 2, 3},
    {Code::TRANSPOSE_CONV, transpose_conv, 3, 4},
};

}  // namespace

std::span<const Handler> conv2d_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
