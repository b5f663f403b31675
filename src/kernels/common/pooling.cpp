#include "src/kernels/common/pooling.h"
#include "src/kernels/common/sizes.h"

#include <algorithm>
#include <limits>

namespace webnn::inline v0_1 {
namespace {

/// Whether each of `count` windows of `size` elements `dilation` apart overlaps [0, input).
bool meet(int input, int count, int size, int stride, int dilation, int padding) {
  for (int i = 0; i < count; ++i) {
    const std::int64_t first = std::int64_t{i} * stride - padding;
    const std::int64_t skipped = first < 0 ? (-first + dilation - 1) / dilation : 0;
    if (skipped >= size || first + skipped * dilation >= input) return false;
  }
  return true;
}

/// f(element) for each element of the input in one window of an image.
template <class F>
void each_in_window(const Pooling2d& p, const float* image, int channel, int row, int column, F f) {
  for (int kh = 0; kh < p.window_height; ++kh)
    for (int kw = 0; kw < p.window_width; ++kw) {
      const int h = row * p.stride_y - p.pad_top + kh * p.dilation_y;
      const int w = column * p.stride_x - p.pad_left + kw * p.dilation_x;
      if (h < 0 || w < 0 || h >= p.height || w >= p.width) continue;
      f(p.nhwc ? image[(to_size(h) * to_size(p.width) + to_size(w)) * to_size(p.channels) +
                       to_size(channel)]
               : image[(to_size(channel) * to_size(p.height) + to_size(h)) * to_size(p.width) +
                       to_size(w)]);
    }
}

}  // namespace

PoolingSide pooling_side(std::size_t direction, const MLPool2dOptions& o, const Dims& input,
                         const Dims& output) {
  const shape::Image in = shape::image(input, o.layout), out = shape::image(output, o.layout);
  const std::uint64_t from = direction ? in.width : in.height;
  const std::uint64_t window = o.windowDimensions ? (*o.windowDimensions)[direction] : from;
  return {static_cast<std::int64_t>(from),
          static_cast<std::int64_t>(direction ? out.width : out.height),
          static_cast<std::int64_t>(window),
          o.padding[2 * direction],
          o.strides[direction],
          o.dilations[direction]};
}

std::optional<Pooling2d> pooling_of(const MLOperand& input, const MLPool2dOptions& o,
                                    const MLOperand& output) {
  constexpr std::uint64_t max_number = 1 << 24;
  const shape::Image in = shape::image(input.shape(), o.layout);
  const shape::Image out = shape::image(output.shape(), o.layout);
  const std::uint64_t window[] = {o.windowDimensions ? (*o.windowDimensions)[0] : in.height,
                                  o.windowDimensions ? (*o.windowDimensions)[1] : in.width};
  for (const Dims* list : {&o.padding, &o.strides, &o.dilations, &input.shape(), &output.shape()})
    for (std::uint32_t v : *list)
      if (v > max_number) return std::nullopt;
  if (window[0] > max_number || window[1] > max_number ||
      (window[0] - 1) * o.dilations[0] > 4 * max_number ||
      (window[1] - 1) * o.dilations[1] > 4 * max_number)
    return std::nullopt;
  if (out.height * o.strides[0] > 8 * max_number || out.width * o.strides[1] > 8 * max_number)
    return std::nullopt;
  const auto n = [](std::uint64_t v) { return static_cast<int>(v); };
  return Pooling2d{.batch = n(in.batch),
                   .height = n(in.height),
                   .width = n(in.width),
                   .channels = n(in.channels),
                   .out_height = n(out.height),
                   .out_width = n(out.width),
                   .window_height = n(window[0]),
                   .window_width = n(window[1]),
                   .stride_y = n(o.strides[0]),
                   .stride_x = n(o.strides[1]),
                   .dilation_y = n(o.dilations[0]),
                   .dilation_x = n(o.dilations[1]),
                   .pad_top = n(o.padding[0]),
                   .pad_left = n(o.padding[2]),
                   .nhwc = o.layout == MLInputOperandLayout::nhwc};
}

float largest_in_window(const Pooling2d& p, const float* image, int channel, int row, int column) {
  float largest = -std::numeric_limits<float>::infinity();
  each_in_window(p, image, channel, row, column, [&](float v) {
    if (v != v || largest != largest) largest += v;  // NaN
    else largest = std::max(largest, v);
  });
  return largest;
}

float mean_of_window(const Pooling2d& p, const float* image, int channel, int row, int column) {
  double sum = 0;
  int count = 0;
  each_in_window(p, image, channel, row, column, [&](float v) {
    sum += static_cast<double>(v);
    ++count;
  });
  return static_cast<float>(sum / count);
}

bool windows_meet_input(const Pooling2d& p) {
  return meet(p.height, p.out_height, p.window_height, p.stride_y, p.dilation_y, p.pad_top) &&
         meet(p.width, p.out_width, p.window_width, p.stride_x, p.dilation_x, p.pad_left);
}

}  // namespace webnn::inline v0_1
