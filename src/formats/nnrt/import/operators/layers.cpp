// Convolutions, pooling, products and normalizations. Images are [batch, height, width, channels].
#include "src/formats/common/same_padding.h"
#include "src/formats/nnrt/import/importer.h"

namespace webnn::inline v0_1::nnrt {
namespace {

using formats::WindowAxis;

/// WebNN's padding: top, bottom, left, right, as the interface's.
Dims padding_of(const Call& c, PadMode mode, const List& pad, const Dims& image, WindowAxis height,
                WindowAxis width) {
  if (mode == PadMode::PAD_MODE_VALID) return {0, 0, 0, 0};
  if (mode == PadMode::PAD_MODE_PAD)
    return pad.empty() ? Dims{0, 0, 0, 0} : c.dimensions(pad, 4, "the padding");
  if (height.stride == 0 || width.stride == 0 || height.size == 0 || width.size == 0)
    c.refuse(fail("its strides and sizes are not greater than 0"));
  const auto [top, bottom] = formats::same_padding(image[1], height);
  const auto [left, right] = formats::same_padding(image[2], width);
  return {top, bottom, left, right};
}

void conv2d(Call& c, const Conv2DFusion& a) {
  const MLOperand x = c.value(0), filter = c.value(1);
  c.require_rank(x, 4);
  c.require_rank(filter, 4);
  const Dims strides = c.dimensions(a.stride, 2, "stride"),
             dilations = c.dimensions(a.dilation, 2, "dilation");
  const Dims f = filter.shape();
  MLConv2dOptions o{
      .padding = padding_of(c, a.padMode, a.padList, x.shape(), {f[1], strides[0], dilations[0]},
                            {f[2], strides[1], dilations[1]}),
      .strides = strides,
      .dilations = dilations,
      .groups = c.dimension(a.group, "group"),
      .inputLayout = MLInputOperandLayout::nhwc,
      .filterLayout = MLConv2dFilterOperandLayout::ohwi,
      .bias = c.bias(2, 0, 1, f[0]),
      .label = c.label()};
  c.put(c.activated(c.b.conv2d(x, filter, std::move(o)), a.activationType));
}

/// The filter is [outputs, height, width, inputs / group] there, [outputs of a group, height,
/// width, inputs] in WebNN.
void conv_transpose2d(Call& c, const Conv2dTransposeFusion& a) {
  const MLOperand x = c.value(0);
  MLOperand filter = c.value(1);
  c.require_rank(x, 4);
  c.require_rank(filter, 4);
  const std::uint32_t group = c.dimension(a.group, "group");
  const Dims f = filter.shape();
  if (group == 0 || f[0] % group != 0) c.refuse(fail("group ({}) does not divide {}", group, f[0]));
  if (group > 1) {
    filter = c.b.reshape(filter, {group, f[0] / group, f[1], f[2], f[3]});
    filter = c.b.reshape(c.b.transpose(filter, {.permutation = {1, 2, 3, 0, 4}}),
                         {f[0] / group, f[1], f[2], group * f[3]});
  }
  const Dims strides = c.dimensions(a.stride, 2, "stride"),
             dilations = c.dimensions(a.dilation, 2, "dilation");
  Dims padding{0, 0, 0, 0};
  if (a.padMode == PadMode::PAD_MODE_PAD && !a.padList.empty())
    padding = c.dimensions(a.padList, 4, "padList");
  if (a.padMode == PadMode::PAD_MODE_SAME)
    c.unsupported(fail("a transposed convolution with {}", enumerator(a.padMode)));
  MLConvTranspose2dOptions o{
      .padding = padding,
      .strides = strides,
      .dilations = dilations,
      .outputPadding = a.outputPaddings.empty()
                           ? Dims{0, 0}
                           : c.dimensions(a.outputPaddings, 2, "outputPaddings"),
      .groups = group,
      .inputLayout = MLInputOperandLayout::nhwc,
      .filterLayout = MLConvTranspose2dFilterOperandLayout::ohwi,
      .bias = c.bias(2, 0, 1, f[0]),
      .label = c.label()};
  c.put(c.activated(c.b.convTranspose2d(x, filter, std::move(o)), a.activationType));
}

template <class A> MLPool2dOptions window_of(const Call& c, const A& a, const MLOperand& x) {
  c.require_rank(x, 4);
  const bool nchw = a.format == Format::FORMAT_NCHW;
  MLPool2dOptions o{.layout = nchw ? MLInputOperandLayout::nchw : MLInputOperandLayout::nhwc,
                    .label = c.label()};
  if (a.global) return o;
  const Dims size = c.dimensions(a.kernelSize, 2, "kernelSize"),
             strides = c.dimensions(a.strides, 2, "strides");
  const Dims s = x.shape();
  const Dims image = nchw ? Dims{s[0], s[2], s[3], s[1]} : s;
  o.windowDimensions = size;
  o.strides = strides;
  o.padding = padding_of(c, a.padMode, a.pad, image, {size[0], strides[0]}, {size[1], strides[1]});
  if (a.roundMode == RoundMode::ROUND_MODE_CEIL) o.outputShapeRounding = MLRoundingType::ceil;
  return o;
}
void average_pool(Call& c, const AvgPoolFusion& a) {
  const MLOperand x = c.value(0);
  c.put(c.activated(c.b.averagePool2d(x, window_of(c, a, x)), a.activationType));
}
void max_pool(Call& c, const MaxPoolFusion& a) {
  if (a.activationType == ActivationType::ACTIVATION_TYPE_NO_ACTIVATION)
    return c.move([&](const MLOperand& x) { return c.b.maxPool2d(x, window_of(c, a, x)); });
  const MLOperand x = c.value(0);
  c.put(c.activated(c.b.maxPool2d(x, window_of(c, a, x)), a.activationType));
}

/// Rows of all dimensions from the axis on, the second one by default, by a filter [outputs,
/// inputs].
void full_connection(Call& c, const FullConnection& a) {
  const MLOperand x = c.value(0), filter = c.value(1);
  c.require_rank(filter, 2);
  const std::uint32_t outputs = filter.shape()[0], depth = filter.shape()[1];
  const std::uint64_t elements = element_count(x.shape());
  if (elements % depth != 0) c.refuse(fail("its input {} has no rows of {}", x.shape(), depth));
  const auto rows = static_cast<std::uint32_t>(elements / depth);
  Dims shape{rows, outputs};
  if (a.useAxis) {
    const std::uint32_t axis = c.axis(a.axis, x.rank());
    shape.assign(x.shape().begin(), x.shape().begin() + axis);
    shape.push_back(outputs);
  } else if (x.rank() > 0 && x.shape().back() == depth) {
    shape = x.shape();
    shape.back() = outputs;
  }
  const std::optional<MLOperand> bias = a.hasBias ? c.bias(2, 0, 1, outputs) : std::nullopt;
  const MLOperand y = c.b.gemm(c.reshaped(x, {rows, depth}), filter,
                               {.c = bias, .bTranspose = true, .label = c.label()});
  c.put(c.activated(c.reshaped(y, shape), a.activationType));
}

void matmul(Call& c, const MatMulFusion& a) {
  const auto matrix = [&](std::size_t i, bool transposed) {
    const MLOperand x = c.value(i);
    if (x.rank() < 2) c.refuse(fail("its input {} has shape {}", i, x.shape()));
    if (!transposed) return x;
    Dims order(x.rank());
    for (std::uint32_t d = 0; d < order.size(); ++d) order[d] = d;
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return c.b.transpose(x, {.permutation = order});
  };
  MLOperand y = c.b.matmul(matrix(0, a.transposeA), matrix(1, a.transposeB), {.label = c.label()});
  if (const auto bias = c.bias(2, 0, 1, y.shape().back())) y = c.b.add(y, *bias);
  c.put(c.activated(y, a.activationType));
}

/// The channels are the last dimension.
void batch_norm(Call& c, const FusedBatchNorm& a) {
  const MLOperand x = c.value(0);
  if (x.rank() == 0) c.refuse(fail("its input is a scalar"));
  c.put(c.b.batchNormalization(x, c.value(3), c.value(4),
                               {.scale = c.value(1),
                                .bias = c.value(2),
                                .axis = x.rank() - 1,
                                .epsilon = a.epsilon,
                                .label = c.label()}));
}
void instance_norm(Call& c, const InstanceNorm& a) {
  const MLOperand x = c.value(0);
  c.require_rank(x, 4);
  const bool nhwc = c.in(0).format == Format::FORMAT_NHWC;
  c.put(c.b.instanceNormalization(
      x, {.scale = c.value(1),
          .bias = c.value(2),
          .epsilon = a.epsilon,
          .layout = nhwc ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw,
          .label = c.label()}));
}
void layer_norm(Call& c, const LayerNormFusion& a) {
  const MLOperand x = c.value(0);
  const std::uint32_t first = c.axis(a.beginNormAxis, x.rank());
  Dims axes, sizes;
  for (std::uint32_t d = first; d < x.rank(); ++d) {
    axes.push_back(d);
    sizes.push_back(x.shape()[d]);
  }
  MLLayerNormalizationOptions o{.axes = axes, .epsilon = a.epsilon, .label = c.label()};
  if (c.has(1)) o.scale = c.reshaped(c.value(1), sizes);
  if (c.has(2)) o.bias = c.reshaped(c.value(2), sizes);
  c.put(c.b.layerNormalization(x, o));
}
void l2_normalize(Call& c, const L2NormalizeFusion& a) {
  const MLOperand x = c.value(0);
  Dims axes;
  for (const std::int64_t v : a.axis) axes.push_back(c.axis(v, x.rank()));
  const MLOperand sum = c.b.reduceSumSquare(x, {.axes = axes, .keepDimensions = true});
  const MLOperand least = c.b.constant(x.dataType(), a.epsilon);
  c.put(c.activated(c.b.div(x, c.b.sqrt(c.b.max(sum, least)), {.label = c.label()}),
                    a.activationType));
}

void bias_add(Call& c, const Attributes&) {
  c.put(c.b.add(c.value(0), c.value(1), {.label = c.label()}));
}
/// x * scale + bias, both along dimensions from the axis on.
void scale(Call& c, const ScaleFusion& a) {
  const MLOperand x = c.value(0);
  const auto placed = [&](std::size_t i) {
    const MLOperand v = c.value(i);
    const std::uint32_t axis = c.axis(a.axis, x.rank());
    if (axis + v.rank() > x.rank()) c.refuse(fail("its input {} has shape {}", i, v.shape()));
    Dims shape(x.rank(), 1);
    std::copy(v.shape().begin(), v.shape().end(), shape.begin() + axis);
    return c.reshaped(v, shape);
  };
  MLOperand y = c.b.mul(x, placed(1), {.label = c.label()});
  if (c.has(2)) y = c.b.add(y, placed(2));
  c.put(c.activated(y, a.activationType));
}
void prelu(Call& c, const PReLUFusion&) {
  c.put(c.b.prelu(c.value(0), c.value(1), {.label = c.label()}));
}

void softmax(Call& c, const Softmax& a) {
  const MLOperand x = c.value(0);
  if (a.axis.size() != 1) c.unsupported(fail("softmax along {} dimensions", a.axis.size()));
  c.put(c.b.softmax(x, c.axis(a.axis[0], x.rank()), {.label = c.label()}));
}
void log_softmax(Call& c, const LogSoftmax& a) {
  const MLOperand x = c.value(0);
  const MLOperand sum =
      c.b.reduceLogSumExp(x, {.axes = {c.axis(a.axis, x.rank())}, .keepDimensions = true});
  c.put(c.b.sub(x, sum, {.label = c.label()}));
}

/// Between floats and quantized elements, or of other scales: the tensors say.
void quantize(Call& c, const Attributes&) {
  const MLOperand x = c.value(0);
  MLOperand y = x;
  const auto to = held_as(c.out().dataType);
  if (to && types::floats.contains(*to) && y.dataType() != *to) y = c.b.cast(y, *to);
  c.put(y.is(c.stored(0)) ? c.b.identity(y, {.label = c.label()}) : y);
}

using enum NodeType;
constexpr Rule rules[] = {
    {NODE_TYPE_CONV2D_FUSION, handle<Conv2DFusion, conv2d>, 2, 3},
    {NODE_TYPE_CONV2D_TRANSPOSE_FUSION, handle<Conv2dTransposeFusion, conv_transpose2d>, 2, 3},
    {NODE_TYPE_AVGPOOL_FUSION, handle<AvgPoolFusion, average_pool>, 1, 1},
    {NODE_TYPE_MAX_POOL_FUSION, handle<MaxPoolFusion, max_pool>, 1, 1},
    {NODE_TYPE_FULL_CONNECTION, handle<FullConnection, full_connection>, 2, 3},
    {NODE_TYPE_MATMUL_FUSION, handle<MatMulFusion, matmul>, 2, 3},
    {NODE_TYPE_FUSED_BATCH_NORM, handle<FusedBatchNorm, batch_norm>, 5, 5},
    {NODE_TYPE_INSTANCE_NORM, handle<InstanceNorm, instance_norm>, 3, 3},
    {NODE_TYPE_LAYER_NORM_FUSION, handle<LayerNormFusion, layer_norm>, 1, 3},
    {NODE_TYPE_L2_NORMALIZE_FUSION, handle<L2NormalizeFusion, l2_normalize>, 1, 1},
    {NODE_TYPE_BIAS_ADD, bias_add, 2, 2},
    {NODE_TYPE_SCALE_FUSION, handle<ScaleFusion, scale>, 2, 3},
    {NODE_TYPE_PRELU_FUSION, handle<PReLUFusion, prelu>, 2, 2},
    {NODE_TYPE_SOFTMAX, handle<Softmax, softmax>, 1, 1},
    {NODE_TYPE_LOG_SOFTMAX, handle<LogSoftmax, log_softmax>, 1, 1},
    {NODE_TYPE_QUANT_DTYPE_CAST, quantize, 1, 1},
    {NODE_TYPE_QUANT_DTYPE_CAST_V2, quantize, 1, 1},
};

}  // namespace

std::span<const Rule> layer_rules() { return rules; }

}  // namespace webnn::inline v0_1::nnrt
