// Convolutions of small groups of channels.
#pragma once

#include <optional>

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/fused.h"

namespace webnn::simd {

/// The kernel of an nhwc convolution with a constant filter and bias; none where a group has more
/// than 16 channels, or the shape forbids it.
std::optional<Candidate> lower_grouped_conv2d(const ops::conv2d& op, const Convolution& shape,
                                           const Epilogue& epilogue);

}  // namespace webnn::simd
