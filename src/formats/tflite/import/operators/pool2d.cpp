#include <cmath>

#include "src/formats/tflite/import/sliding_window.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

struct Window {
  WindowAxis height, width;
  WindowPadding padding;
};

Window window_of(const Call& c, const schema::Pool2DOptionsT& o, const MLOperand& x) {
  c.require_rank(x, 4, 4);
  const WindowAxis height{c.dimension(o.filter_height, "filter_height"),
                          c.dimension(o.stride_h, "stride_h")};
  const WindowAxis width{c.dimension(o.filter_width, "filter_width"),
                         c.dimension(o.stride_w, "stride_w")};
  return {height, width, padding_of(c, o.padding, x, height, width)};
}

/// What is around an image does not count in a mean: the padding has to be known.
MLPool2dOptions options_of(const Call& c, const Window& w) {
  return {.windowDimensions = {w.height.size, w.width.size},
          .padding = w.padding.dims(),
          .strides = {w.height.stride, w.width.stride},
          .layout = MLInputOperandLayout::nhwc,
          .label = c.label()};
}

void average_pool(Call& c) {
  const auto o = c.options<schema::Pool2DOptionsT>();
  const MLOperand x = c.value(0);
  const MLPool2dOptions options = options_of(c, window_of(c, o, x));
  c.put(c.activated(c.b.averagePool2d(x, options), o.fused_activation_function));
}

/// The largest of quantized elements is the quantized largest, when the scales are the same.
void max_pool(Call& c) {
  const auto o = c.options<schema::Pool2DOptionsT>();
  const bool moves =
      c.same_scales(0) && o.fused_activation_function == schema::ActivationFunctionType::NONE;
  MLOperand x = moves ? c.stored(0) : c.value(0);
  Window w = window_of(c, o, x);
  x = with_open_padding(c, x, w.padding, formats::lowest_value(x.dataType()));
  MLOperand y = c.b.maxPool2d(x, options_of(c, w));
  if (moves) c.put_stored(y);
  else c.put(c.activated(y, o.fused_activation_function));
}

/// The root of the mean, not of the sum, of the squares.
void l2_pool(Call& c) {
  const auto o = c.options<schema::Pool2DOptionsT>();
  const MLOperand x = c.value(0);
  const MLOperand mean = c.b.averagePool2d(c.b.mul(x, x), options_of(c, window_of(c, o, x)));
  c.put(c.activated(c.b.sqrt(mean), o.fused_activation_function));
}

constexpr Handler handlers[] = {
    {Code::AVERAGE_POOL_2D, average_pool, 1, 1},
    {Code::MAX_POOL_2D, max_pool, 1, 1},
    {Code::L2_POOL_2D, l2_pool, 1, 1},
};

}  // namespace

std::span<const Handler> pool2d_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
