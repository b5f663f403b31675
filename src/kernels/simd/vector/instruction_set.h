// The instruction set that the vector kernels use on this processor.
#pragma once

#include <cstddef>

namespace webnn::inline v0_1::simd {

inline constexpr std::size_t max_lanes = 64;
int lanes();           ///< floats in a vector, up to max_lanes
int rows_at_once();    ///< rows that a block of registers holds beside two vectors of columns
const char* target();  ///< the name: "AVX3"

}  // namespace webnn::inline v0_1::simd
