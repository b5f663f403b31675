// conv2d and convTranspose2d as products: for each image and group the filter, [output channels,
// terms], times the terms of each pixel of the result. A term is an input channel and an element of
// the window.
#pragma once

#include "src/kernels/common/loop.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::inline v0_1::reference {

/// One direction, down or across. What infer() has checked bounds every place by 2^35.
struct Extent {
  std::int64_t in, kernel, out, stride, dilation, padding;
  bool transposed;

  /// The elements out_first + q * out_step of the result, q < count. Each sums, over the elements
  /// tap_first + t * tap_step of the kernel, t < taps, the products with the elements
  /// first + q * step + t * tap_dilation of the input.
  struct Phase {
    std::int64_t count, out_first, out_step, first, step, tap_dilation, taps, tap_first, tap_step;
  };
  /// When transposed, neighboring elements of the result meet different elements of the kernel:
  /// those that do not are a phase.
  std::int64_t phases() const { return transposed ? std::min(stride, out) : 1; }
  Phase phase(std::int64_t i) const;
};

struct ConvolutionSizes {
  Extent down, across;
  std::size_t images, groups, inputs, outputs;  // channels of one group
  struct {
    std::size_t batch, channel, row, column;
  } x, y;  // strides
  struct {
    std::size_t group, output, input, row, column;
  } filter;
  int bias;  // its input, -1 when absent
};

Candidate convolution_kernel(const ConvolutionSizes& c, MLOperandDataType type);

/// For the operator of either kind.
template <class Op> Candidate convolution_kernel(const Op& op, const Node& node, int bias) {
  constexpr bool transposed = std::same_as<Op, ops::convTranspose2d>;
  const auto& o = op.options;
  const shape::Image in = shape::image(op.input.shape(), o.inputLayout);
  const shape::Image out = shape::image(node.output().shape(), o.inputLayout);
  const ops::Filter f = ops::filter_sizes(op.filter.shape(), o.filterLayout);
  const auto extent = [&](auto size, auto kernel, auto result, std::size_t i) {
    return Extent{static_cast<std::int64_t>(size),
                  static_cast<std::int64_t>(kernel),
                  static_cast<std::int64_t>(result),
                  o.strides[i],
                  o.dilations[i],
                  o.padding[2 * i],
                  transposed};
  };
  const auto strides = [](const Dims& shape) {
    return [s = strides_of(shape)](std::uint64_t d) { return static_cast<std::size_t>(s[d]); };
  };
  const auto x = strides(op.input.shape()), y = strides(node.output().shape());
  const auto w = strides(op.filter.shape());
  // Which dimension is which.
  const shape::Image i = shape::image({0, 1, 2, 3}, o.inputLayout);
  const ops::Filter d = ops::filter_sizes({0, 1, 2, 3}, o.filterLayout);
  const std::size_t inputs = in.channels / o.groups, outputs = out.channels / o.groups;
  return convolution_kernel({extent(in.height, f.height, out.height, 0),
                             extent(in.width, f.width, out.width, 1),
                             in.batch,
                             o.groups,
                             inputs,
                             outputs,
                             {x(i.batch), x(i.channels), x(i.height), x(i.width)},
                             {y(i.batch), y(i.channels), y(i.height), y(i.width)},
                             {transposed ? inputs * w(d.inputs) : outputs * w(d.outputs),
                              w(d.outputs), w(d.inputs), w(d.height), w(d.width)},
                             bias},
                            op.input.dataType());
}

}  // namespace webnn::inline v0_1::reference
