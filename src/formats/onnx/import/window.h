// Windows that slide over the spatial dimensions of an image: of convolutions and poolings.
// Private.
#pragma once

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

/// One value for each spatial dimension.
struct Window {
  Ints kernel, strides, dilations;
  SizeList before, after;  // of SAME_UPPER and SAME_LOWER they follow from the sizes

  std::size_t rank() const { return kernel.size(); }
  /// The elements between the first and the last of the window, with both.
  std::int64_t extent(std::size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

/// From the attributes strides, dilations, pads and auto_pad, for an input with these sizes.
/// `transposed`: pads are those that the attributes give, without auto_pad.
Window window_of(const Call&, const Ints& kernel, const SizeList& sizes, bool transposed = false);
/// kernel_shape, or of a filter its sizes.
Ints kernel_of(const Call&, std::size_t spatial, const MLOperand* filter = nullptr);
/// The sizes behind batch and channels.
SizeList spatial_sizes(const Call&, const MLOperand& x);
/// x with the elements around that the window has only when sizes are known, which it then no
/// longer has; x itself when it is known.
MLOperand with_open_pads(const Call&, const MLOperand& x, Window&, MLNumber value);

/// AveragePool of a node.
MLOperand average_pooled(Call&, MLOperand x);

}  // namespace webnn::inline v0_1::onnx
