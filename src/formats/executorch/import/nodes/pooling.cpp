// Pooling of images [batch, height, width, channels].
#include <cmath>

#include "src/formats/common/same_padding.h"
#include "src/formats/executorch/import/node.h"

namespace webnn::inline v0_1::executorch {
namespace {

using Kind = xnn::NodeUnion;

// The dimensions of an image stay, with or without the flag that asks for it (keep_dims).

struct Window {
  std::uint32_t height, width, stride_height, stride_width, dilation_height, dilation_width;
};

template <class Table>
MLPool2dOptions options_of(const NodeCall& c, const Table& t, const Window& w, const MLOperand& x) {
  c.require_rank(x, 4);
  Dims padding{t.padding_top(), t.padding_bottom(), t.padding_left(), t.padding_right()};
  if (t.flags() & same_padding_flag) {
    if (padding != Dims{0, 0, 0, 0})
      c.refuse(fail("it has both explicit padding and the flag for TensorFlow's padding"));
    if (w.height == 0 || w.width == 0 || w.stride_height == 0 || w.stride_width == 0)
      c.refuse(fail("its strides and sizes are not greater than 0"));
    const auto [top, bottom] =
        formats::same_padding(x.shape()[1], {w.height, w.stride_height, w.dilation_height});
    const auto [left, right] =
        formats::same_padding(x.shape()[2], {w.width, w.stride_width, w.dilation_width});
    padding = {top, bottom, left, right};
  }
  return {.windowDimensions = {w.height, w.width},
          .padding = padding,
          .strides = {w.stride_height, w.stride_width},
          .dilations = {w.dilation_height, w.dilation_width},
          .layout = MLInputOperandLayout::nhwc};
}

/// XNNPACK averages the elements inside of the image, and so does WebNN. Dilations do not count.
void average_pooling(NodeCall& c) {
  const auto& t = c.table<xnn::NodePooling>();
  c.check_flags(t.flags(), same_padding_flag | keep_dims);
  const MLOperand x = c.numbers(t.input_id());
  MLPool2dOptions o = options_of(
      c, t, {t.pooling_height(), t.pooling_width(), t.stride_height(), t.stride_width(), 1, 1}, x);
  o.label = c.label(t.output_id());
  c.put(t.output_id(), c.clamped(c.b.averagePool2d(x, o)));
}

void max_pooling(NodeCall& c) {
  const auto& t = c.table<xnn::NodePooling>();
  c.check_flags(t.flags(), same_padding_flag | keep_dims);
  const auto pooled = [&](const MLOperand& x) {
    MLPool2dOptions o = options_of(c, t,
                                   {t.pooling_height(), t.pooling_width(), t.stride_height(),
                                    t.stride_width(), t.dilation_height(), t.dilation_width()},
                                   x);
    o.label = c.label(t.output_id());
    return c.b.maxPool2d(x, o);
  };
  if (!c.has_limits()) return c.move(t.input_id(), t.output_id(), pooled);
  c.put(t.output_id(), c.clamped(pooled(c.numbers(t.input_id()))));
}

void global_average_pooling(NodeCall& c) {
  const auto& t = c.table<xnn::Node1x1>();
  c.check_flags(t.flags(), keep_dims);
  const MLOperand x = c.numbers(t.input_id());
  c.require_rank(x, 4);
  c.put(t.output_id(), c.clamped(c.b.averagePool2d(x, {.layout = MLInputOperandLayout::nhwc,
                                                       .label = c.label(t.output_id())})));
}

/// The largest element of windows that do not overlap, and its place in the window: windows become
/// a dimension of their own, over which both are searched.
void argmax_pooling(NodeCall& c) {
  const auto& t = c.table<xnn::NodeArgMaxPooling>();
  c.check_flags(t.flags(), same_padding_flag | keep_dims);
  const Window w{
      t.pooling_height(), t.pooling_width(), t.pooling_height(), t.pooling_width(), 1, 1};
  MLOperand x = c.numbers(t.input_id());
  if (w.height == 0 || w.width == 0) c.refuse(fail("its window is empty"));
  const MLPool2dOptions o = options_of(c, t, w, x);
  const MLOperand largest = c.b.maxPool2d(x, o);  // also checks the sizes
  const Dims sizes = largest.shape();
  c.put(t.output_value_id(), largest);
  if (!c.has(t.output_index_id())) return;
  if (o.padding != Dims{0, 0, 0, 0})
    x = c.b.pad(x, {0, o.padding[0], o.padding[2], 0}, {0, o.padding[1], o.padding[3], 0},
                {.value = -INFINITY});
  // What is left over at the end belongs to no window.
  const Dims used{sizes[0], sizes[1] * w.height, sizes[2] * w.width, sizes[3]};
  if (x.shape() != used) x = c.b.slice(x, {0, 0, 0, 0}, used);
  const MLOperand split =
      c.b.reshape(x, {sizes[0], sizes[1], w.height, sizes[2], w.width, sizes[3]});
  const MLOperand windows =
      c.b.reshape(c.b.transpose(split, {.permutation = {0, 1, 3, 2, 4, 5}}),
                  {sizes[0], sizes[1], sizes[2], w.height * w.width, sizes[3]});
  const MLOperand index = c.b.argMax(
      windows, 3,
      {.keepDimensions = false, .outputDataType = int32, .label = c.label(t.output_index_id())});
  c.put_stored(t.output_index_id(), index);
}

}  // namespace

Handler pooling_handler(Kind kind) {
  switch (kind) {
    case Kind::AvgPooling2d: return average_pooling;
    case Kind::MaxPooling2d: return max_pooling;
    case Kind::GlobalAvgPooling2d: return global_average_pooling;
    case Kind::ArgMaxPooling2d: return argmax_pooling;
    default: return nullptr;
  }
}

}  // namespace webnn::inline v0_1::executorch
