// Convolutions by Winograd's method: 3x3 filters with 4 or 2.25 times fewer multiplications.
#pragma once

#include <optional>

#include "src/kernels/common/convolution.h"
#include "src/kernels/common/fused.h"
#include "src/kernels/simd/options.h"

namespace webnn::inline v0_1::simd {

/// The kernel of an nhwc convolution with a constant filter and bias; none where the rule (or the
/// shape) forbids it, or where all weights are integers, whose sums may have to be exact. Rounding
/// errors are about twice those of a sum of all products, and relative to the largest values that a
/// tile sees. Results that depend on operands that are not finite are those of the definition.
/// `bfloat16`: sums of all products take half the time, so that fewer shapes are worth it. Its own
/// products stay float32.
std::optional<Candidate> lower_winograd(const ops::conv2d& op, const Convolution& shape,
                                        const Epilogue& epilogue, Winograd3x3 rule, bool bfloat16);

/// Whether the float32 kernel is likely faster than a sum of all products with small weights, which
/// become floats when the kernel runs.
bool is_faster_by_winograd(const Convolution& shape, Winograd3x3 rule);

}  // namespace webnn::inline v0_1::simd
