// What work counts as when it is cut into tiles.
#pragma once

#include <cstddef>

namespace webnn::simd {

/// Multiplications and additions that a vector kernel does in the time of one of the operations
/// that partition() counts.
inline constexpr double macs_per_operation = 2;
/// Bytes of scratch for each worker, beyond which a kernel is refused.
inline constexpr std::size_t max_scratch = std::size_t{64} << 20;

}  // namespace webnn::simd
