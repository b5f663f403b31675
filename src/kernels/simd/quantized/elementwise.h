// Element-wise operators on bytes.
#pragma once

#include "src/kernels/simd/quantized/lower.h"

namespace webnn::simd {

/// A chain of functions of one operand, as a table of their results; nothing if it is none.
std::optional<Kernel> lower_table(Chain chain, const QuantizedChain& c);

}  // namespace webnn::simd
