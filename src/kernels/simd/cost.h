// The cost of work that is cut into tiles.
#pragma once

namespace webnn::inline v0_1::simd {

/// Multiplications and additions that a vector kernel does in the time of one of the operations
/// that partition() counts.
inline constexpr double macs_per_operation = 2;

}  // namespace webnn::inline v0_1::simd
