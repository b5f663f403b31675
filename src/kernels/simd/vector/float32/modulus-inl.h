// Remainders of floats, with the bits of the reference kernel. One copy per target.
#if defined(WEBNN_SIMD_MODULUS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_MODULUS_INL_H
#undef WEBNN_SIMD_MODULUS_INL_H
#else
#define WEBNN_SIMD_MODULUS_INL_H
#endif
#include <cmath>
#include <limits>

#include "src/kernels/simd/vector/float32/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// The remainder of any two floats.
template <bool Floor> float modulus(float a, float b) {
  const float rest = std::fmod(a, b);
  if (std::isnan(rest)) return std::numeric_limits<float>::quiet_NaN();
  if (!Floor) return rest;
  if (rest == 0) return std::copysign(rest, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

/// y[i] = the remainder of a[i] by b[i] for i < n, where an operand with the step 0 is one number
/// for all.
///
/// Quotients below 2^28 are truncated in double. Floats are integers of 24 bits times powers of 2:
/// their quotient is an integer, or at least 2^-24 (of 1 or of itself) away from one, so that
/// rounding it to 53 bits does not reach it; its integer part times the divisor has 52 bits; and
/// the difference is a float. The sum of two floats is the same rounded to 53 bits and then to 24.
template <bool Floor>
void modulus(const float* a, std::size_t a_step, const float* b, std::size_t b_step, float* y,
             std::size_t n) {
  const hn::ScalableTag<double> wide;
  const hn::Rebind<float, decltype(wide)> narrow;
  const std::size_t lanes = hn::Lanes(wide);
  const auto limit = hn::Set(wide, 0x1p28), zero = hn::Set(wide, 0);
  const auto largest = hn::Set(wide, static_cast<double>(std::numeric_limits<float>::max()));
  const auto some = [=](const float* x, std::size_t step) HWY_ATTR {
    return hn::PromoteTo(wide, step == 0 ? hn::Set(narrow, *x) : hn::LoadU(narrow, x));
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto p = some(a + i * a_step, a_step), d = some(b + i * b_step, b_step);
    const auto quotient = hn::Div(p, d);
    if (!hn::AllTrue(wide,
                     hn::And(hn::Lt(hn::Abs(quotient), limit), hn::Le(hn::Abs(d), largest)))) {
      for (std::size_t k = i; k < i + lanes; ++k)
        y[k] = modulus<Floor>(a[k * a_step], b[k * b_step]);
      continue;
    }
    const auto rest = hn::Sub(p, hn::Mul(hn::Trunc(quotient), d));
    if constexpr (Floor) {
      const auto differs = hn::Xor(hn::Lt(rest, zero), hn::Lt(d, zero));
      const auto moved = hn::IfThenElse(differs, hn::Add(rest, d), rest);
      const auto same_sign = hn::IfThenElse(hn::Eq(rest, zero), hn::CopySign(rest, d), moved);
      hn::StoreU(hn::DemoteTo(narrow, same_sign), narrow, y + i);
    } else {
      hn::StoreU(hn::DemoteTo(narrow, hn::CopySign(rest, p)), narrow, y + i);
    }
  }
  for (; i < n; ++i) y[i] = modulus<Floor>(a[i * a_step], b[i * b_step]);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
