// A normalization by the root of the mean square, for which WebNN has no operator, written out in
// those it has.
#pragma once

#include <optional>

#include "webnn/backend.h"

namespace webnn::inline v0_1 {

/// y = weight * x / sqrt(mean(x^2) + epsilon), the mean over the last dimension.
struct RmsNormalization {
  MLOperand x{};
  MLOperand weight{};  ///< of the size of the last dimension; null: none
  double epsilon = 0;
  std::size_t row = 0;  ///< size of the last dimension
};

/// What a chain computes, if it is, in this order: pow(x, 2) or mul(x, x); reduceMean with
/// keepDimensions; add of a number; sqrt and div(x, root), or sqrt, reciprocal or div(1, root) and
/// mul, or pow(sum, -0.5) and mul; and the product with the weight, if there is one. Of float32.
/// Squares that overflow float32 do not overflow in the kernel of such a chain.
std::optional<RmsNormalization> rms_normalization_of(Chain);

}  // namespace webnn::inline v0_1
