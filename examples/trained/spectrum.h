// The spectrum of a window of sound as products.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace trained {

constexpr std::uint32_t window = 256, hop = 128, bins = window / 2 + 1;  // 32 ms, 16 ms at 8 kHz

/// [2 * bins, window]: cosines, then sines, under half a wave of a sine. Two windows that overlap
/// by half add up to the sound again when it is multiplied with them forward and back.
inline std::vector<float> waves() {
  std::vector<float> all(2 * bins * window);
  for (std::uint32_t k = 0; k < bins; ++k)
    for (std::uint32_t n = 0; n < window; ++n) {
      const double angle = 2 * std::numbers::pi * k * n / window,
                   shape = std::sin(std::numbers::pi * (n + 0.5) / window);
      all[k * window + n] = static_cast<float>(shape * std::cos(angle));
      all[(bins + k) * window + n] = static_cast<float>(shape * std::sin(angle));
    }
  return all;
}

}  // namespace trained
