// conv2d and convTranspose2d as products: for each image and group the filter, [output channels,
// terms], times the terms of each pixel of the result. A term is an input channel and an element of
// the window.
#pragma once

#include "src/kernels/common/loop.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::reference {

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

struct ImageStrides {
  std::size_t batch, channel, row, column;

  ImageStrides(const shape::Image& i, MLInputOperandLayout layout) {
    const bool nchw = layout == MLInputOperandLayout::nchw;
    batch = i.channels * i.height * i.width;
    channel = nchw ? i.height * i.width : 1;
    row = i.width * (nchw ? 1 : i.channels);
    column = nchw ? 1 : i.channels;
  }
};

struct Convolving {
  Extent down, across;
  std::size_t images, groups, inputs, outputs;  // channels of one group
  ImageStrides x, y;
  struct {
    std::size_t group, output, input, row, column;
  } filter;  // strides
  int bias;  // its input, -1 when absent
};

Kernel convolution_kernel(const Convolving& c, MLOperandDataType type);

/// For the operator of either kind.
template <class Op> Kernel convolution_kernel(const Op& op, const Node& node, int bias) {
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
  const auto strides = strides_of(op.filter.shape());
  const ops::Filter place = ops::filter_sizes({0, 1, 2, 3}, o.filterLayout);
  const auto stride = [&](std::uint64_t d) { return static_cast<std::size_t>(strides[d]); };
  const std::size_t inputs = in.channels / o.groups, outputs = out.channels / o.groups;
  return convolution_kernel(
      {extent(in.height, f.height, out.height, 0),
       extent(in.width, f.width, out.width, 1),
       in.batch,
       o.groups,
       inputs,
       outputs,
       {in, o.inputLayout},
       {out, o.inputLayout},
       {transposed ? inputs * stride(place.inputs) : outputs * stride(place.outputs),
        stride(place.outputs), stride(place.inputs), stride(place.height), stride(place.width)},
       bias},
      op.input.dataType());
}

}  // namespace webnn::reference
