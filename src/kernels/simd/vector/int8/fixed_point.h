// Real factors of integers, in the arithmetic that TensorFlow Lite's integer kernels define: with
// the same factors the results are the same integers, and so they are in networks of many layers.
#pragma once

#include <cmath>
#include <cstdint>

namespace webnn::inline v0_1::simd {

/// multiplier * 2^(exponent - 31), where the multiplier is 0 or from 2^30 on. An integer is shifted
/// to the left by a positive exponent, multiplied and rounded to its upper half, and then shifted
/// to the right by a negative one and rounded again.
struct FixedPoint {
  std::int32_t multiplier = 0, exponent = 0;
};

/// The rounding of ties in the second rounding.
enum class Ties { up, away };

/// The nearest to a non-negative factor; 2^30 at most.
inline FixedPoint fixed_point(double factor) {
  int exponent = 0;
  auto multiplier =
      static_cast<std::int64_t>(std::round(std::ldexp(std::frexp(factor, &exponent), 31)));
  if (multiplier == std::int64_t{1} << 31) {
    multiplier /= 2;
    ++exponent;
  }
  if (exponent < -31) return {};
  if (exponent > 30) return {std::int32_t{1} << 30, 30};
  return {static_cast<std::int32_t>(multiplier), exponent};
}

inline bool is_half(FixedPoint f) { return f.multiplier == 1 << 30 && f.exponent == 0; }

/// Both roundings in one: floor((x * multiplier + addend) / 2^shift) rounds ties up. Where ties
/// are rounded away from zero and there is a second rounding, the addend is smaller by 2^31 if x *
/// multiplier + 2^30 is negative.
struct Rounding {
  std::int64_t addend, shift;

  explicit Rounding(FixedPoint f) : shift(31 - f.exponent) {
    addend = (std::int64_t{1} << (shift - 1)) + (twice() ? std::int64_t{1} << 30 : 0);
  }
  bool twice() const { return shift > 31; }
};

/// Arrays of factors for vectors of columns: addends and shifts of the even lanes of each
/// vector come before those of its odd ones. Or, where there are scales, sum * scale + offset is
/// rounded once, to even.
struct Factors {
  const std::int32_t* multipliers = nullptr;
  const std::int64_t *addends = nullptr, *shifts = nullptr;
  const float *scales = nullptr, *offsets = nullptr;
};

/// x * f, for x * 2^exponent of 32 bits.
inline std::int32_t scaled(std::int32_t x, FixedPoint f, Ties ties) {
  const Rounding r(f);
  const std::int64_t product = std::int64_t{x} * f.multiplier;
  const bool down = ties == Ties::away && r.twice() && product + (1 << 30) < 0;
  return static_cast<std::int32_t>((product + r.addend - (down ? std::int64_t{1} << 31 : 0)) >>
                                   r.shift);
}

}  // namespace webnn::inline v0_1::simd
