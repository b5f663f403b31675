// Chains of functions of one operand of 8 bits, as a table of 256 results.
#pragma once

#include "src/kernels/simd/quantized/lower.h"

namespace webnn::inline v0_1::simd {

/// The table has the results of TensorFlow Lite's arithmetic where they are within one unit of the
/// exact results, else the exact results. Nothing for other chains.
std::optional<Candidate> lower_lookup_table(Chain chain, const QuantizedChain& c);

}  // namespace webnn::inline v0_1::simd
