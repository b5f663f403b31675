// Sliding windows, shared by the convolutions and the pooling operators.
#pragma once

#include "webnn/shape/dims.h"

namespace webnn::inline v0_1 {

enum class MLInputOperandLayout { nchw, nhwc };
constexpr auto names_of(MLInputOperandLayout) { return names("nchw", "nhwc"); }

enum class MLRoundingType { floor, ceil };
constexpr auto names_of(MLRoundingType) { return names("floor", "ceil"); }

}  // namespace webnn::inline v0_1

namespace webnn::inline v0_1::shape {

struct Window {
  std::uint64_t size, beginning_padding, ending_padding, stride, dilation;
};

/// "calculate conv2d output size": the real quotient plus one, rounded; 0 when it is not positive.
constexpr std::uint64_t window_count(std::uint64_t input, const Window& w,
                                     MLRoundingType rounding) {
  const std::uint64_t effective = (w.size - 1) * w.dilation + 1;
  const std::uint64_t padded = input + w.beginning_padding + w.ending_padding;
  const bool up = rounding == MLRoundingType::ceil;
  if (padded >= effective) return (padded - effective + (up ? w.stride - 1 : 0)) / w.stride + 1;
  return up && effective - padded < w.stride ? 1 : 0;
}
static_assert(window_count(5, {3, 1, 1, 2, 1}, MLRoundingType::floor) == 3);
static_assert(window_count(2, {3, 0, 0, 2, 1}, MLRoundingType::floor) == 0);
static_assert(window_count(2, {3, 0, 0, 2, 1}, MLRoundingType::ceil) == 1);

/// "calculate convtranspose output size", without the padding at its beginning and end: the result
/// is this minus both, which may be less than 1. It cannot wrap: a dimension has 31 bits.
constexpr std::uint64_t transposed_extent(std::uint64_t input, const Window& w) {
  return (input - 1) * w.stride + (w.size - 1) * w.dilation + 1;
}
static_assert(transposed_extent(3, {3, 0, 0, 2, 2}) == 9);

/// Batch, channels and the two spatial sizes of a tensor of rank 4.
struct Image {
  std::uint64_t batch, channels, height, width;

  Sizes in(MLInputOperandLayout layout) const {
    if (layout == MLInputOperandLayout::nchw) return {batch, channels, height, width};
    return {batch, height, width, channels};
  }
};
inline Image image(const Dims& d, MLInputOperandLayout layout) {
  if (layout == MLInputOperandLayout::nchw) return {d[0], d[1], d[2], d[3]};
  return {d[0], d[3], d[1], d[2]};
}

inline Check check_padding(const Dims& padding) {
  return check_length("padding", padding.size(), 4);
}

/// Strides, dilations and window sizes: two numbers, none of them zero.
inline Check check_pair(std::string_view name, const Dims& pair) {
  if (auto bad = check_length(name, pair.size(), 2)) return bad;
  return check_positive(name, pair);
}

}  // namespace webnn::inline v0_1::shape
