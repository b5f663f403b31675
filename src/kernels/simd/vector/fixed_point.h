// Real factors of integers, in the arithmetic that TensorFlow Lite's integer kernels define: with
// the same factors the results are the same integers, and so they are in networks of many layers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace webnn::simd {

/// multiplier * 2^(exponent - 31), where the multiplier is 0 or from 2^30 on. An integer is shifted
/// to the left by a positive exponent, multiplied and rounded to its upper half, and then shifted
/// to the right by a negative one and rounded again.
struct FixedPoint {
  std::int32_t multiplier = 0, exponent = 0;
};

/// Arrays of them, as vectors load them.
struct Factors {
  const std::int32_t *multipliers = nullptr, *exponents = nullptr;
};

/// What the second rounding does with halves.
enum class Ties { up, away };

/// The nearest to a factor from 0 to below 2^31.
inline FixedPoint fixed_point(double factor) {
  int exponent = 0;
  auto multiplier =
      static_cast<std::int64_t>(std::round(std::ldexp(std::frexp(factor, &exponent), 31)));
  if (multiplier == std::int64_t{1} << 31) {
    multiplier /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  return {static_cast<std::int32_t>(multiplier), exponent};
}

/// x * f, for x * 2^exponent of 32 bits.
inline std::int32_t scaled(std::int32_t x, FixedPoint f, Ties ties) {
  const int left = std::max(f.exponent, 0), right = std::max(-f.exponent, 0);
  const std::int64_t wide = std::int64_t{x} * (std::int64_t{1} << left) * f.multiplier;
  const std::int64_t upper = (wide + (std::int64_t{1} << 30)) >> 31;
  const std::int64_t half = (std::int64_t{1} << right) >> 1;
  const bool down = ties == Ties::away && right > 0 && upper < 0;
  return static_cast<std::int32_t>((upper + half - down) >> right);
}

}  // namespace webnn::simd
