// The instruction set that the vector kernels use on this processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace webnn::inline v0_1::simd {

inline constexpr std::size_t max_lanes = 64;
int lanes();           ///< floats in a vector, up to max_lanes
int rows_at_once();    ///< rows that a block of registers holds beside two vectors of columns
const char* target();  ///< the name: "AVX3"
/// What the vector kernels were built for, as Highway numbers instruction sets, if it is one alone
/// (WEBNN_NATIVE); else 0.
extern const std::int64_t only_target;
/// Its name, if this processor does not have it; else null.
const char* missing_target();
/// All that the vector kernels were built for.
extern const std::int64_t built_targets;
/// Whether this processor has one of these. Without it, nothing else of simd may be called.
bool has_target();

}  // namespace webnn::inline v0_1::simd
