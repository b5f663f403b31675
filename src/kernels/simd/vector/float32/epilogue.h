// Activations of floats in place.
#pragma once

#include <cstddef>

#include "src/kernels/common/epilogue.h"

namespace webnn::inline v0_1::simd {

/// y = activation(y), which may not be a clamp, for `rows` rows of n floats that begin every
/// `stride` floats.
void activate(const Epilogue&, int rows, std::size_t n, std::size_t stride, float* y);

}  // namespace webnn::inline v0_1::simd
