// Functions of one byte.
#pragma once

#include "src/kernels/simd/quantized/lower.h"

namespace webnn::simd {

/// A chain of functions of one operand, as a table: of TensorFlow Lite's results where its
/// arithmetic is known and within a unit of the exact ones, else of those. Nothing if it is none.
std::optional<Kernel> lower_lookup_table(Chain chain, const QuantizedChain& c);

}  // namespace webnn::simd
