// Convolutions of small groups of channels.
#pragma once

#include <optional>

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/fused.h"
#include "src/kernels/simd/product/pack.h"

namespace webnn::inline v0_1::simd {

/// The kernel of an nhwc convolution; none where a group has more than 16 channels, or the shape
/// forbids it. The filter is [out][height][width][in of a group].
std::optional<Candidate> lower_grouped_conv2d(const Convolution& shape, const Epilogue& epilogue,
                                              const Values& filter, const Values& bias);

}  // namespace webnn::inline v0_1::simd
