#include "src/operators/narrow_types.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace webnn::inline v0_1::operators {
namespace {

using Special = NarrowFloat::Special;

constexpr NarrowFloat floats[] = {
    {"bfloat16", 8, 7, 127, Special::ieee},
    {"float8e4m3fn", 4, 3, 7, Special::nan},
    {"float8e4m3fnuz", 4, 3, 8, Special::unsigned_zero},
    {"float8e5m2", 5, 2, 15, Special::ieee},
    {"float8e5m2fnuz", 5, 2, 16, Special::unsigned_zero},
    {"float4e2m1", 2, 1, 1, Special::none},
};
constexpr NarrowInteger integers[] = {
    {"int16", 16, true}, {"uint16", 16, false}, {"int4", 4, true},
    {"uint4", 4, false}, {"int2", 2, true},     {"uint2", 2, false},
};

template <class T, std::size_t n> const T* named(const T (&list)[n], std::string_view name) {
  const T* found = std::ranges::find(list, name, &T::name);
  return found == std::end(list) ? nullptr : found;
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();

}  // namespace

const NarrowFloat* narrow_float(std::string_view name) { return named(floats, name); }
const NarrowInteger* narrow_integer(std::string_view name) { return named(integers, name); }

float NarrowFloat::decoded(std::uint32_t bits) const {
  const std::uint32_t fraction = bits & ((1u << fraction_bits) - 1),
                      top = (1u << exponent_bits) - 1, exponent = bits >> fraction_bits & top;
  const bool negative = bits >> (exponent_bits + fraction_bits) & 1;
  if (special == Special::ieee && exponent == top)
    return fraction ? nan : negative ? -infinity : infinity;
  if (special == Special::nan && exponent == top && fraction == (1u << fraction_bits) - 1)
    return nan;
  if (special == Special::unsigned_zero && negative && exponent == 0 && fraction == 0) return nan;
  const double significand = exponent ? fraction + (1u << fraction_bits) : fraction;
  const double v =
      std::ldexp(significand, static_cast<int>(std::max(exponent, 1u)) - bias - fraction_bits);
  return static_cast<float>(negative ? -v : v);
}

double NarrowFloat::max() const {
  const std::uint32_t all = (1u << (exponent_bits + fraction_bits)) - 1;
  return decoded(special == Special::ieee  ? all - (1u << fraction_bits)
                 : special == Special::nan ? all - 1
                                           : all);
}

float NarrowFloat::rounded(float v, bool saturates) const {
  const bool unsigned_zero = special == Special::unsigned_zero;
  const auto with_sign = [&](double magnitude) {
    if (magnitude == 0 && unsigned_zero) return 0.0f;
    return static_cast<float>(std::copysign(magnitude, v));
  };
  if (std::isnan(v)) return special == Special::none ? 0 : v;
  const float beyond = special == Special::none   ? with_sign(max())
                       : special == Special::ieee ? with_sign(infinity)
                                                  : nan;
  const bool is_bfloat16 = exponent_bits == 8;  // never saturates
  if (std::isinf(v)) return saturates && !is_bfloat16 ? with_sign(max()) : beyond;
  if (v == 0) return with_sign(0);
  const double magnitude = std::abs(static_cast<double>(v));
  const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  const double unit = std::ldexp(1.0, exponent - fraction_bits);
  const double r = std::nearbyint(magnitude / unit) * unit;
  if (r <= max()) return with_sign(r);
  return saturates && !is_bfloat16 ? with_sign(max()) : beyond;
}

float decoded_e8m0(std::uint32_t bits) {
  return bits == 0xff ? nan : static_cast<float>(std::ldexp(1.0, static_cast<int>(bits) - 127));
}

float rounded_e8m0(float v, std::string_view mode, bool saturates) {
  constexpr int low = -127, high = 127;
  if (std::isnan(v) || v < 0) return nan;
  if (std::isinf(v)) return saturates ? decoded_e8m0(254) : nan;
  if (v == 0) return decoded_e8m0(0);
  int exponent = std::ilogb(v);
  const double power = std::ldexp(1.0, exponent), ratio = static_cast<double>(v) / power;
  if (ratio > 1 && (mode == "up" || (mode == "nearest" && ratio >= 1.5))) ++exponent;
  if (exponent > high) return saturates ? decoded_e8m0(254) : nan;
  return static_cast<float>(std::ldexp(1.0, std::max(exponent, low)));
}

}  // namespace webnn::inline v0_1::operators
