// Transposed convolutions with large weights, as a product for each phase.
#pragma once

#include "src/kernels/common/fused.h"
#include "src/kernels/simd/conv/transposed_shape.h"

namespace webnn::inline v0_1::simd {

/// The kernel of an nhwc convTranspose2d without groups and dilations, whose filter and bias are
/// constant. Nothing where reading its weights again for a few rows costs little, or there is a
/// residual.
std::optional<Candidate> lower_transposed_panels(const ops::convTranspose2d& op,
                                                 const TransposedShape& shape, const Epilogue& e);

}  // namespace webnn::inline v0_1::simd
