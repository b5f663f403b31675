// Convolutions, pooling and resizing of images.
#include <cmath>

#include "src/formats/executorch/export/lower.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::executorch::exporter {
namespace {

/// The filter as [output channels, height, width, input channels].
Dims order_of(MLConv2dFilterOperandLayout layout) {
  using enum MLConv2dFilterOperandLayout;
  switch (layout) {
    case oihw: return {0, 2, 3, 1};
    case hwio: return {3, 0, 1, 2};
    case ihwo: return {3, 1, 2, 0};
    default: return {0, 1, 2, 3};
  }
}

/// With several scales they are those of the output channels.
bool scales_fit(const Spec& filter, std::int32_t channels) {
  return !filter.quantizer || filter.quantizer->per_tensor() || filter.quantizer->axis == channels;
}

xnn::NodeConvT table_of(const Dims& padding, const Dims& strides, const Dims& dilations,
                        std::uint32_t groups) {
  xnn::NodeConvT t;
  t.padding_top = padding[0];
  t.padding_bottom = padding[1];
  t.padding_left = padding[2];
  t.padding_right = padding[3];
  t.subsampling_height = strides[0];
  t.subsampling_width = strides[1];
  t.dilation_height = dilations[0];
  t.dilation_width = dilations[1];
  t.groups = groups;
  return t;
}

Failure not_constant() { return fail("XNNPACK's filters and biases must be constants"); }

}  // namespace

Values lower(LoweringContext& s, const ops::conv2d& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value x = to_image(e, s(op.input), o.inputLayout);
  Value filter = s(op.filter);
  if (!e.constant(filter)) return s.refuse(not_constant());
  filter = e.transpose(filter, order_of(o.filterLayout));
  const Dims f = e.shape(filter);
  xnn::NodeConvT t = table_of(o.padding, o.strides, o.dilations, o.groups);
  t.kernel_height = f[1];
  t.kernel_width = f[2];
  t.group_input_channels = f[3];
  t.group_output_channels = f[0] / o.groups;
  const bool depthwise = f[3] == 1;
  if (!scales_fit(e.spec(filter), 0))
    return s.refuse(fail("its filter has scales of other dimensions"));
  if (depthwise) filter = e.transpose(filter, {3, 1, 2, 0});
  const Value bias = s.bias(o.bias, x, filter);
  if (bias && !e.constant(bias)) return s.refuse(not_constant());
  const Value y =
      e.convolution(depthwise ? Kind::DepthwiseConv2d : Kind::Conv2d, t, x, filter, bias,
                    s.result(image_shape(s.result().shape, o.inputLayout)), s.limits());
  return from_image(e, y, o.inputLayout);
}

Values lower(LoweringContext& s, const ops::convTranspose2d& op) {
  using enum MLConvTranspose2dFilterOperandLayout;
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value x = to_image(e, s(op.input), o.inputLayout);
  Value filter = s(op.filter);
  if (!e.constant(filter)) return s.refuse(not_constant());
  const Dims order = o.filterLayout == iohw   ? Dims{1, 2, 3, 0}
                     : o.filterLayout == hwoi ? Dims{2, 0, 1, 3}
                                              : Dims{0, 1, 2, 3};
  filter = e.transpose(filter, order);  // [outputs of a group, height, width, inputs]
  Dims f = e.shape(filter);
  const std::uint32_t outputs = f[0], inputs = f[3] / o.groups;
  if (o.groups > 1) {
    if (e.spec(filter).quantizer && !e.spec(filter).quantizer->per_tensor())
      return s.refuse(fail("its filter has scales and groups"));
    filter = e.reshape(filter, {outputs, f[1], f[2], o.groups, inputs});
    filter =
        e.reshape(e.transpose(filter, {3, 0, 1, 2, 4}), {o.groups * outputs, f[1], f[2], inputs});
  }
  if (!scales_fit(e.spec(filter), 0))
    return s.refuse(fail("its filter has scales of other dimensions"));
  xnn::NodeConvT t = table_of(o.padding, o.strides, o.dilations, o.groups);
  t.kernel_height = f[1];
  t.kernel_width = f[2];
  t.group_input_channels = inputs;
  t.group_output_channels = outputs;
  const Dims in = e.shape(x), out = image_shape(s.result().shape, o.inputLayout);
  const auto adjustment = [&](int i, std::uint32_t size, std::uint32_t kernel) {
    const std::uint64_t extent =
        (std::uint64_t{size} - 1) * o.strides[i] + (std::uint64_t{kernel} - 1) * o.dilations[i] + 1;
    return static_cast<std::uint32_t>(out[1 + i] + o.padding[2 * i] + o.padding[2 * i + 1] -
                                      extent);
  };
  t.adjustment_height = adjustment(0, in[1], f[1]);
  t.adjustment_width = adjustment(1, in[2], f[2]);
  const Value bias = s.bias(o.bias, x, filter);
  if (bias && !e.constant(bias)) return s.refuse(not_constant());
  const Value y =
      e.convolution(Kind::ConvTranspose2d, t, x, filter, bias, s.result(out), s.limits());
  return from_image(e, y, o.inputLayout);
}

namespace {

/// One dimension of a window: the padding at the end is what the windows reach, where rounding up
/// makes it more.
Sliding sliding(const MLPool2dOptions& o, int i, std::uint32_t in, std::uint32_t window,
                std::uint32_t out) {
  Sliding s{window, o.strides[i], o.dilations[i], o.padding[2 * i], o.padding[2 * i + 1]};
  const std::uint64_t reach =
      std::uint64_t{out - 1} * s.stride + (std::uint64_t{window} - 1) * s.dilation + 1;
  const std::uint64_t given = std::uint64_t{in} + s.before + s.after;
  if (reach > given) s.after += static_cast<std::uint32_t>(reach - given);
  return s;
}

/// How many elements of the image each window has along one dimension.
std::vector<float> counts(const Sliding& s, std::uint32_t in, std::uint32_t out) {
  std::vector<float> all;
  for (std::uint32_t i = 0; i < out; ++i) {
    float n = 0;
    for (std::uint32_t k = 0; k < s.size; ++k) {
      const std::int64_t at = std::int64_t{i} * s.stride + std::int64_t{k} * s.dilation - s.before;
      n += at >= 0 && at < in;
    }
    all.push_back(n);
  }
  return all;
}

struct Pool {
  Value x;
  Dims in, out;
  Sliding height, width;
};
template <class Op> Pool pool_of(LoweringContext& s, const Op& op) {
  const MLPool2dOptions& o = op.options;
  const Value x = to_image(s.e(), s(op.input), o.layout);
  const Dims in = s.e().shape(x), out = image_shape(s.result().shape, o.layout);
  const Dims window = o.windowDimensions ? Dims(*o.windowDimensions) : Dims{in[1], in[2]};
  return {x, in, out, sliding(o, 0, in[1], window[0], out[1]),
          sliding(o, 1, in[2], window[1], out[2])};
}

Value average(LoweringContext& s, Value x, const Pool& p, Limits limits) {
  const Spec result{s.result().type, p.out, s.result().quantizer};
  if (p.height.dilation != 1 || p.width.dilation != 1)
    return s.refuse(fail("XNNPACK averages windows without dilation"));
  const bool whole = p.out[1] == 1 && p.out[2] == 1 && p.height.size == p.in[1] &&
                     p.width.size == p.in[2] && p.height.before + p.height.after == 0 &&
                     p.width.before + p.width.after == 0;
  if (whole) return s.e().unary(Kind::GlobalAvgPooling2d, x, result, limits);
  return s.e().pool(Kind::AvgPooling2d, x, p.height, p.width, result, limits);
}

}  // namespace

Values lower(LoweringContext& s, const ops::averagePool2d& op) {
  const Pool p = pool_of(s, op);
  return from_image(s.e(), average(s, p.x, p, s.limits()), op.options.layout);
}

/// The root of the mean of squares times their number.
Values lower(LoweringContext& s, const ops::l2Pool2d& op) {
  Emitter& e = s.e();
  const Pool p = pool_of(s, op);
  const Value mean = average(s, e.unary(Kind::Square, p.x), p, {});
  std::vector<float> roots;
  for (const float h : counts(p.height, p.in[1], p.out[1]))
    for (const float w : counts(p.width, p.in[2], p.out[2])) roots.push_back(std::sqrt(h * w));
  const Value y = e.binary(Kind::Multiply, e.unary(Kind::SquareRoot, mean),
                           e.floats({1, p.out[1], p.out[2], 1}, roots, e.type(mean)));
  return from_image(e, y, op.options.layout);
}

Values lower(LoweringContext& s, const ops::maxPool2d& op) {
  const Pool p = pool_of(s, op);
  Spec result = s.e().spec(p.x);
  if (result.type == DataType::int32)
    return s.refuse(
        fail("XNNPACK has it for floats and quantized elements, not for {}", op.input.dataType()));
  result.shape = p.out;
  const Value y =
      s.e().pool(Kind::MaxPooling2d, p.x, p.height, p.width, std::move(result), s.limits());
  return from_image(s.e(), y, op.options.layout);
}

/// Linear: between the centers of elements, as XNNPACK's. Nearest: each element several times.
Values lower(LoweringContext& s, const ops::resample2d& op) {
  Emitter& e = s.e();
  const Value given = s(op.input);
  if (e.type(given) == DataType::int32)
    return s.refuse(fail("XNNPACK has it for floats, not for {}", op.input.dataType()));
  // The image as [others, height, width, others].
  const Dims& axes = op.options.axes;
  const std::uint32_t a = std::min(axes[0], axes[1]), b = std::max(axes[0], axes[1]);
  Dims order;
  for (std::uint32_t d = 0; d < 4; ++d)
    if (d != a && d != b) order.push_back(d);
  order = {order[0], a, b, order[1]};
  const Dims back = inverse(order);
  const Value x = e.transpose(given, order);
  const Dims in = e.shape(x), out = permuted(s.result().shape, order);
  if (op.options.mode == MLInterpolationMode::linear) {
    Spec resized = e.spec(x);  // 8-bit elements keep their scales
    resized.shape = out;
    return e.transpose(e.resize(x, out[1], out[2], std::move(resized)), back);
  }
  if (!types::floats.contains(op.input.dataType()))
    return s.refuse(fail("XNNPACK repeats elements of floats, not of {}", op.input.dataType()));
  if (out[1] % in[1] != 0 || out[2] % in[2] != 0)
    return s.refuse(
        fail("XNNPACK repeats elements a whole number of times, not from {} to {}", in, out));
  const Dims apart{in[0] * in[1], 1, in[2], 1, in[3]};
  const Value repeated = e.broadcast_to(
      e.reshape(x, apart), {in[0] * in[1], out[1] / in[1], in[2], out[2] / in[2], in[3]});
  return e.transpose(e.reshape(repeated, out), back);
}

}  // namespace webnn::inline v0_1::executorch::exporter
