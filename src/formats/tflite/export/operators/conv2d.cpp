// conv2d and convTranspose2d. TFLite has NHWC images and OHWI filters, 1HWO for depthwise ones.
#include "src/formats/tflite/export/sliding_window.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite::exporter {

namespace {

Dims ohwi_of(MLConv2dFilterOperandLayout layout) {
  switch (layout) {
    case MLConv2dFilterOperandLayout::oihw: return {0, 2, 3, 1};
    case MLConv2dFilterOperandLayout::hwio: return {3, 0, 1, 2};
    case MLConv2dFilterOperandLayout::ohwi: return {0, 1, 2, 3};
    case MLConv2dFilterOperandLayout::ihwo: return {3, 1, 2, 0};
  }
  return {};
}
Dims ihwo_of(MLConv2dFilterOperandLayout layout) {
  switch (layout) {
    case MLConv2dFilterOperandLayout::oihw: return {1, 2, 3, 0};
    case MLConv2dFilterOperandLayout::hwio: return {2, 0, 1, 3};
    case MLConv2dFilterOperandLayout::ohwi: return {3, 1, 2, 0};
    case MLConv2dFilterOperandLayout::ihwo: return {0, 1, 2, 3};
  }
  return {};
}

template <class Options>
Value convolve(LoweringContext& s, BuiltinOperator code, std::vector<Value> inputs,
               const ops::conv2d& op, const Dims& result, schema::Padding padding,
               ActivationFunctionType activation, Options options) {
  options.padding = padding;
  options.stride_h = signed_of(op.options.strides[0]);
  options.stride_w = signed_of(op.options.strides[1]);
  options.dilation_h_factor = signed_of(op.options.dilations[0]);
  options.dilation_w_factor = signed_of(op.options.dilations[1]);
  options.fused_activation_function = activation;
  return s.e().emit(code, std::move(inputs), s.result(result), std::optional(options));
}

}  // namespace

Values lower(LoweringContext& s, const ops::conv2d& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  Value x = to_image(e, s(op.input), o.inputLayout);
  const Dims in = e.shape(x), out = image_shape(s.result().shape, o.inputLayout);
  const bool depthwise = o.groups > 1 && o.groups == in[3];
  const Value filter =
      e.transpose(s(op.filter), depthwise ? ihwo_of(o.filterLayout) : ohwi_of(o.filterLayout));
  const Dims size = e.shape(filter);
  // The runtime of 2.9 has no convolution without bias.
  std::vector<Value> inputs{x, filter,
                            o.bias ? s.bias(*o.bias, x, filter) : s.zero_bias(out[3], x, filter)};

  const Sliding height{in[1], out[1], size[1], o.strides[0], o.dilations[0], o.padding[0]};
  const Sliding width{in[2], out[2], size[2], o.strides[1], o.dilations[1], o.padding[2]};
  if (!fits(height) || !fits(width)) return s.refuse(too_large());
  const auto padding = padding_of(height, width);
  if (!padding) inputs[0] = pad_image(e, x, height, width);
  const auto kind = padding.value_or(schema::Padding::VALID);
  const auto activation = s.activation();
  if (depthwise) {
    schema::DepthwiseConv2DOptionsT options;
    options.depth_multiplier = signed_of(out[3] / in[3]);
    return from_image(e, convolve(s, DEPTHWISE_CONV_2D, inputs, op, out, kind, activation, options),
                      o.inputLayout);
  }
  const schema::Conv2DOptionsT options;
  if (o.groups == 1)
    return from_image(e, convolve(s, CONV_2D, inputs, op, out, kind, activation, options),
                      o.inputLayout);
  // Releases up to 2.9 have no groups.
  const Dims whole = e.shape(inputs[0]);
  const std::uint32_t each = in[3] / o.groups, made = out[3] / o.groups;
  std::vector<Value> parts;
  for (std::uint32_t g = 0; g < o.groups; ++g) {
    const Value part =
        e.slice(inputs[0], {0, 0, 0, g * each}, {whole[0], whole[1], whole[2], each});
    const Value weights = e.slice(filter, {g * made, 0, 0, 0}, {made, size[1], size[2], size[3]});
    const Value bias = e.slice(inputs[2], {g * made}, {made});
    parts.push_back(convolve(s, CONV_2D, {part, weights, bias}, op, {out[0], out[1], out[2], made},
                             kind, activation, options));
  }
  return from_image(e, e.concat(parts, 3), o.inputLayout);
}

namespace {

Dims ohwi_of(MLConvTranspose2dFilterOperandLayout layout) {
  switch (layout) {
    case MLConvTranspose2dFilterOperandLayout::iohw: return {1, 2, 3, 0};
    case MLConvTranspose2dFilterOperandLayout::hwoi: return {2, 0, 1, 3};
    case MLConvTranspose2dFilterOperandLayout::ohwi: return {0, 1, 2, 3};
  }
  return {};
}

/// Whether a filter [O, H, W, I] with zeros between its elements is a tensor.
bool dilates(const Dims& filter, const Dims& dilations) {
  std::uint64_t elements = std::uint64_t{filter[0]} * filter[3];
  for (std::size_t i : {0, 1})
    elements =
        std::min(elements, std::uint64_t{1} << 31) *
        std::min(std::uint64_t{filter[i + 1] - 1} * dilations[i] + 1, std::uint64_t{1} << 31);
  return elements < std::uint64_t{1} << 28;
}
/// A constant filter [O, H, W, I] with zeros between its elements.
Value dilated(Emitter& e, Value filter, const Dims& dilations) {
  const Dims from = e.shape(filter);
  const Dims to{from[0], (from[1] - 1) * dilations[0] + 1, (from[2] - 1) * dilations[1] + 1,
                from[3]};
  const std::vector<double> in = e.values(filter);
  std::vector<float> out(element_count(to));
  std::size_t at = 0;
  for (std::size_t o = 0; o < from[0]; ++o)
    for (std::size_t h = 0; h < from[1]; ++h)
      for (std::size_t w = 0; w < from[2]; ++w)
        for (std::size_t i = 0; i < from[3]; ++i)
          out[((o * to[1] + h * dilations[0]) * to[2] + w * dilations[1]) * to[3] + i] =
              static_cast<float>(in[at++]);
  return e.floats(to, out);
}

/// One group. The runtime's result has as many elements as its convolution needs to give the input,
/// so what padding takes away is cut off afterwards.
Value transpose_convolve(LoweringContext& s, Value x, Value filter, Value bias,
                         const ops::convTranspose2d& op, const Dims& out) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Dims size = e.shape(filter), in = e.shape(x);
  const auto extent = [&](std::size_t d) { return (in[d] - 1) * o.strides[d - 1] + size[d]; };
  const Sliding height{out[1], in[1], size[1], o.strides[0], 1, o.padding[0]};
  const Sliding width{out[2], in[2], size[2], o.strides[1], 1, o.padding[2]};
  const Dims reached{out[0], std::max(out[1] + o.padding[0], extent(1)),
                     std::max(out[2] + o.padding[2], extent(2)), out[3]};
  if (!fits(height) || !fits(width)) return s.refuse(too_large());
  const bool same = reached != out && is_same(height) && is_same(width);
  const Dims& whole = same ? out : reached;
  schema::TransposeConvOptionsT options;
  options.padding = same ? schema::Padding::SAME : schema::Padding::VALID;
  options.stride_h = signed_of(o.strides[0]);
  options.stride_w = signed_of(o.strides[1]);
  std::vector<Value> inputs{e.ints({whole.begin(), whole.end()}), filter, x};
  if (bias) inputs.push_back(bias);
  const Value y = e.emit(TRANSPOSE_CONV, inputs, s.result(whole), std::optional(options));
  return e.slice(y, {0, same ? 0 : o.padding[0], same ? 0 : o.padding[2], 0}, out);
}

}  // namespace

Values lower(LoweringContext& s, const ops::convTranspose2d& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value x = to_image(e, s(op.input), o.inputLayout);
  Value filter = e.transpose(s(op.filter), ohwi_of(o.filterLayout));
  if (o.dilations != Dims{1, 1}) {
    if (!e.constant(filter))
      return s.refuse(fail("TFLite does not dilate a filter that is not constant"));
    if (!dilates(e.shape(filter), o.dilations))
      return s.refuse(fail("the filter with dilations ({}) is too large", o.dilations));
    filter = dilated(e, filter, o.dilations);
  }
  const Dims in = e.shape(x), size = e.shape(filter);
  const Dims out = image_shape(s.result().shape, o.inputLayout);
  const Value bias = o.bias ? s.bias(*o.bias, x, filter) : Value{};
  if (o.groups == 1)
    return from_image(e, transpose_convolve(s, x, filter, bias, op, out), o.inputLayout);

  const std::uint32_t each = in[3] / o.groups, made = out[3] / o.groups;
  std::vector<Value> parts;
  for (std::uint32_t g = 0; g < o.groups; ++g) {
    const Value part = e.slice(x, {0, 0, 0, g * each}, {in[0], in[1], in[2], each});
    const Value weights = e.slice(filter, {0, 0, 0, g * each}, {size[0], size[1], size[2], each});
    const Value b = bias ? e.slice(bias, {g * made}, {made}) : Value{};
    parts.push_back(transpose_convolve(s, part, weights, b, op, {out[0], out[1], out[2], made}));
  }
  return from_image(e, e.concat(parts, 3), o.inputLayout);
}

}  // namespace webnn::inline v0_1::tflite::exporter
