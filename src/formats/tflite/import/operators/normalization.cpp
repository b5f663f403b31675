#include "src/formats/tflite/import/call.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// x divided by the root of the sum of squares along the last axis, which counts as 1e-6 at least.
void l2_normalization(Call& c) {
  const auto o = c.options<schema::L2NormOptionsT>();
  const MLOperand x = c.value(0);
  c.require_rank(x, 1, max_rank);
  const MLOperand norm = c.b.reduceL2(x, {.axes = {x.rank() - 1}, .keepDimensions = true});
  const MLOperand y = c.b.div(x, c.b.clamp(norm, {.minValue = 1e-6}), {.label = c.label()});
  c.put(c.activated(y, o.fused_activation_function));
}

/// x / (bias + alpha * (the sum of squares of 2 * radius + 1 neighbors among the channels)) ^
/// beta. The sums are a convolution with ones.
void local_response_normalization(Call& c) {
  const auto o = c.options<schema::LocalResponseNormalizationOptionsT>();
  const MLOperand x = c.value(0);
  c.require_rank(x, 4, 4);
  const SizeList shape = formats::sizes_of(x);
  const auto channels = static_cast<std::uint32_t>(shape[3].number());
  if (o.radius < 0) c.refuse(fail("the radius ({}) is negative", o.radius));
  const std::uint32_t radius = std::min(static_cast<std::uint32_t>(o.radius), channels - 1);
  const Size rows = formats::product({shape[0], shape[1], shape[2]});
  c.spend((2 * std::uint64_t{radius} + 1) * 4);
  const MLOperand squares = formats::reshape(c.b, c.b.mul(x, x), {1, rows, channels, 1});
  const MLOperand ones =
      c.floats({1, 1, 2 * radius + 1, 1}, std::vector<float>(2 * std::size_t{radius} + 1, 1.0f));
  const MLOperand sums = c.b.conv2d(squares, ones,
                                    {.padding = {0, 0, radius, radius},
                                     .inputLayout = MLInputOperandLayout::nhwc,
                                     .filterLayout = MLConv2dFilterOperandLayout::ohwi});
  const MLOperand base =
      c.b.linear(formats::reshape(c.b, sums, shape), {.alpha = o.alpha, .beta = o.bias});
  c.put(c.b.mul(x, c.b.pow(base, c.scalar(float32, -o.beta)), {.label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::L2_NORMALIZATION, l2_normalization, 1, 1},
    {Code::LOCAL_RESPONSE_NORMALIZATION, local_response_normalization, 1, 1},
};

}  // namespace

std::span<const Handler> normalization_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
