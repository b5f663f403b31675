// Types that WebNN does not have: tensors of them are held in a wider type, in which each element
// has a value of the narrow one. Private.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace webnn::inline v0_1::operators {

/// A float of at most 16 bits: sign, exponent, fraction, from the highest bit down.
struct NarrowFloat {
  std::string_view name;
  int exponent_bits, fraction_bits, bias;
  enum class Special : std::uint8_t {
    ieee,           ///< infinities and NaN have the largest exponent
    nan,            ///< all bits of exponent and fraction set is NaN
    unsigned_zero,  ///< the sign alone is NaN, and there is no -0
    none
  } special;

  int bits() const { return 1 + exponent_bits + fraction_bits; }
  /// The largest number.
  double max() const;
  float decoded(std::uint32_t bits) const;
  /// The nearest number, of two of them the one with an even fraction. What is larger than max()
  /// becomes that where it saturates, which bfloat16 does not, else infinity or NaN. NaN becomes 0
  /// in a type that has none.
  float rounded(float v, bool saturates) const;
};

/// bfloat16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float4e2m1; null for other
/// names.
const NarrowFloat* narrow_float(std::string_view name);

/// An integer of at most 16 bits.
struct NarrowInteger {
  std::string_view name;
  int bits;
  bool has_sign;

  std::int64_t low() const { return has_sign ? -(std::int64_t{1} << (bits - 1)) : 0; }
  std::int64_t high() const { return low() + (std::int64_t{1} << bits) - 1; }
};
/// int16, uint16, int4, uint4, int2, uint2; null for other names.
const NarrowInteger* narrow_integer(std::string_view name);

/// float8e8m0: powers of two from 2^-127 to 2^127, and NaN.
float decoded_e8m0(std::uint32_t bits);
/// `mode` is up, down or nearest. What has no logarithm is NaN.
float rounded_e8m0(float v, std::string_view mode, bool saturates);

}  // namespace webnn::inline v0_1::operators
