// Activations of floats in place.
#pragma once

#include <cstddef>

#include "src/kernels/common/fused.h"

namespace webnn::simd {

/// y = activation(y), which may not be a clamp, for n floats.
void activate(const Epilogue&, std::size_t n, float* y);

}  // namespace webnn::simd
