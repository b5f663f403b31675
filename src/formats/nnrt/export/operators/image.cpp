// Convolutions, pooling, resizing, and products.
#include <algorithm>

#include "src/formats/nnrt/export/lower.h"

namespace webnn::inline v0_1::nnrt::exporter {
namespace {

Value to_image(Emitter& e, Value x, MLInputOperandLayout layout) {
  return layout == MLInputOperandLayout::nchw ? e.transpose(x, to_nhwc) : x;
}
Value from_image(Emitter& e, Value y, MLInputOperandLayout layout) {
  return layout == MLInputOperandLayout::nchw ? e.transpose(y, to_nchw) : y;
}
Dims image_shape(const Dims& shape, MLInputOperandLayout layout) {
  return layout == MLInputOperandLayout::nchw ? permuted(shape, to_nhwc) : shape;
}
/// [outputs, height, width, inputs].
Dims order_of(MLConv2dFilterOperandLayout layout) {
  using enum MLConv2dFilterOperandLayout;
  switch (layout) {
    case oihw: return {0, 2, 3, 1};
    case hwio: return {3, 0, 1, 2};
    case ihwo: return {3, 1, 2, 0};
    default: return {0, 1, 2, 3};
  }
}
Dims order_of(MLConvTranspose2dFilterOperandLayout layout) {
  using enum MLConvTranspose2dFilterOperandLayout;
  switch (layout) {
    case iohw: return {1, 2, 3, 0};
    case hwoi: return {2, 0, 1, 3};
    default: return {0, 1, 2, 3};
  }
}

/// Input, filter and a bias, if there is one.
std::vector<Value> with_bias(LoweringContext& s, Value x, Value filter,
                             const std::optional<MLOperand>& bias) {
  std::vector<Value> all{x, filter};
  if (bias) all.push_back(s(*bias));
  return all;
}

}  // namespace

Values lower(LoweringContext& s, const ops::conv2d& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value x = to_image(e, s(op.input), o.inputLayout);
  const Value filter = e.transpose(s(op.filter), order_of(o.filterLayout));
  const Dims f = e.shape(filter);
  Conv2DFusion a{.kernelSize = {f[1], f[2]},
                 .stride = list_of(o.strides),
                 .dilation = list_of(o.dilations),
                 .padMode = PadMode::PAD_MODE_PAD,
                 .padList = list_of(o.padding),
                 .group = o.groups,
                 .inChannel = e.shape(x)[3],
                 .outChannel = f[0]};
  return from_image(
      e,
      e.like(std::move(a), with_bias(s, x, filter, o.bias), image_shape(s.shape(), o.inputLayout)),
      o.inputLayout);
}

Values lower(LoweringContext& s, const ops::convTranspose2d& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value x = to_image(e, s(op.input), o.inputLayout);
  Value filter = e.transpose(s(op.filter), order_of(o.filterLayout));
  Dims f = e.shape(filter);  // [outputs of a group, height, width, inputs]
  if (o.groups > 1) {
    filter = e.reshape(filter, {f[0], f[1], f[2], o.groups, f[3] / o.groups});
    filter = e.reshape(e.transpose(filter, {3, 0, 1, 2, 4}),
                       {o.groups * f[0], f[1], f[2], f[3] / o.groups});
    f = e.shape(filter);
  }
  const Dims in = e.shape(x), out = image_shape(s.shape(), o.inputLayout);
  List more;  // rows and columns at the end
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t reach = (std::int64_t{in[1 + i]} - 1) * o.strides[i] +
                               (std::int64_t{f[1 + i]} - 1) * o.dilations[i] + 1 -
                               o.padding[2 * i] - o.padding[2 * i + 1];
    more.push_back(out[1 + i] - reach);
  }
  Conv2dTransposeFusion a{.kernelSize = {f[1], f[2]},
                          .stride = list_of(o.strides),
                          .dilation = list_of(o.dilations),
                          .padMode = PadMode::PAD_MODE_PAD,
                          .padList = list_of(o.padding),
                          .group = o.groups,
                          .inChannel = in[3],
                          .outChannel = f[0],
                          .outputPaddings = more};
  return from_image(e, e.like(std::move(a), with_bias(s, x, filter, o.bias), out), o.inputLayout);
}

namespace {

template <class A, class Op> Values pool(LoweringContext& s, const Op& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  if (o.dilations != Dims{1, 1}) return s.refuse(fail("NNRt's windows have no dilations"));
  const Value x = to_image(e, s(op.input), o.layout);
  const Dims in = e.shape(x), out = image_shape(s.shape(), o.layout);
  const Dims window = o.windowDimensions ? Dims(*o.windowDimensions) : Dims{in[1], in[2]};
  // Rounding up or down: the one that gives the result's sizes.
  bool floor = true, ceil = true;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint32_t room = in[1 + i] + o.padding[2 * i] + o.padding[2 * i + 1] - window[i];
    floor = floor && out[1 + i] == room / o.strides[i] + 1;
    ceil = ceil && out[1 + i] == (room + o.strides[i] - 1) / o.strides[i] + 1;
  }
  if (!floor && !ceil) return s.refuse(fail("one size is rounded up, the other one down"));
  A a;
  a.kernelSize = list_of(window);
  a.strides = list_of(o.strides);
  a.pad = list_of(o.padding);
  a.padMode = PadMode::PAD_MODE_PAD;
  a.roundMode = floor ? RoundMode::ROUND_MODE_FLOOR : RoundMode::ROUND_MODE_CEIL;
  a.format = nnrt::Format::FORMAT_NHWC;
  const auto params = e.tensor(x).quantParams;
  const Value y = e.like(std::move(a), {x}, out);
  if (std::is_same_v<A, MaxPoolFusion>) e.quantize(y, params);
  return from_image(e, y, o.layout);
}

}  // namespace

Values lower(LoweringContext& s, const ops::averagePool2d& op) {
  return pool<AvgPoolFusion>(s, op);
}
Values lower(LoweringContext& s, const ops::maxPool2d& op) { return pool<MaxPoolFusion>(s, op); }

/// The root of the mean of squares, times the elements of a window, over an image that is padded:
/// the mean is that of a window's elements within the image.
Values lower(LoweringContext& s, const ops::l2Pool2d& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  if (o.dilations != Dims{1, 1}) return s.refuse(fail("NNRt's windows have no dilations"));
  const Value x = to_image(e, s(op.input), o.layout);
  const Dims in = e.shape(x), out = image_shape(s.shape(), o.layout);
  const Dims window = o.windowDimensions ? Dims(*o.windowDimensions) : Dims{in[1], in[2]};
  Dims before(4, 0), after(4, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint32_t needed = (out[1 + i] - 1) * o.strides[i] + window[i];
    before[1 + i] = o.padding[2 * i];
    after[1 + i] = needed - std::min(needed, in[1 + i] + before[1 + i]);
  }
  Value squares = e.like(MulFusion{}, {x, x});
  if (before != after || before != Dims(4, 0)) squares = e.pad(squares, before, after, 0.0f);
  AvgPoolFusion a{.kernelSize = list_of(window),
                  .strides = list_of(o.strides),
                  .pad = {0, 0, 0, 0},
                  .padMode = PadMode::PAD_MODE_PAD,
                  .roundMode = RoundMode::ROUND_MODE_FLOOR,
                  .format = nnrt::Format::FORMAT_NHWC};
  const Value mean = e.like(std::move(a), {squares}, out);
  const Value sum =
      e.binary(MulFusion{}, mean, static_cast<double>(std::uint64_t{window[0]} * window[1]));
  return from_image(e, e.like(Sqrt{}, {sum}), o.layout);
}

Values lower(LoweringContext& s, const ops::gemm& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const Value a = s(op.a), b = s(op.b);
  const std::uint32_t columns = s.shape()[1];
  const bool is_row = !o.c || (element_count(o.c->shape()) == columns && o.c->rank() > 0 &&
                               o.c->shape().back() == columns);
  if (e.tensor(b).data && is_row && o.alpha == 1 && o.beta == 1) {
    std::vector<Value> inputs{o.aTranspose ? e.transpose(a, {1, 0}) : a,
                              o.bTranspose ? b : e.transpose(b, {1, 0})};
    if (o.c) inputs.push_back(e.reshape(s(*o.c), {columns}));
    return e.like(FullConnection{.hasBias = o.c.has_value()}, std::move(inputs), s.shape());
  }
  // The last node has the activation.
  const ActivationType fused = e.fused();
  const bool scaled = o.alpha != 1;
  e.set_fused(scaled || o.c ? ActivationType::ACTIVATION_TYPE_NO_ACTIVATION : fused);
  Value y = e.like(MatMulFusion{.transposeA = o.aTranspose, .transposeB = o.bTranspose}, {a, b},
                   s.shape());
  if (scaled) {
    if (!o.c) e.set_fused(fused);
    y = e.binary(MulFusion{}, y, o.alpha);
  }
  if (!o.c) return y;
  Value c = s(*o.c);
  if (o.beta != 1) c = e.binary(MulFusion{}, c, o.beta);
  e.set_fused(fused);
  return e.binary(AddFusion{}, y, c);
}
Values lower(LoweringContext& s, const ops::matmul& op) {
  return s.e().like(MatMulFusion{}, {s(op.a), s(op.b)}, s.shape());
}

}  // namespace webnn::inline v0_1::nnrt::exporter
