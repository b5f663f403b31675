// A fast test for NaN and infinities, for libraries that lose them.
#pragma once

#include <cstddef>

namespace webnn::inline v0_1 {

/// Whether no element is NaN or infinite.
inline bool all_finite(const float* p, std::size_t count) {
  // Independent sums, so that the compiler can use vectors without reordering a sum.
  constexpr std::size_t lanes = 16;
  float sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) sums[k] += p[i + k] * 0;  // 0 or NaN
  for (; i < count; ++i) sums[0] += p[i] * 0;
  for (float s : sums)
    if (s != 0) return false;
  return true;
}

}  // namespace webnn::inline v0_1
