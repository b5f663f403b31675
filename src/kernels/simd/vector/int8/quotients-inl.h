// Quotients of floats as integers. One copy per target.
#if defined(WEBNN_SIMD_INT8_QUOTIENTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_INT8_QUOTIENTS_INL_H
#undef WEBNN_SIMD_INT8_QUOTIENTS_INL_H
#else
#define WEBNN_SIMD_INT8_QUOTIENTS_INL_H
#endif
#include "src/kernels/simd/vector/int8/integers-inl.h"
#include "src/kernels/simd/vector/unrolled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// Rounded quotients within bounds below 2^9. Where the products with 1 / scale are no nearer than
/// 2^-13 to the middle of two integers, they have the same integers: the inverse, the product and
/// the quotient are rounded once each, by 2^-24 of themselves at most. `otherwise`: what a quotient
/// that is not a number becomes.
class Quotients {
 public:
  HWY_INLINE Quotients(float scale, const Int8Result& r, float otherwise = 0)
      : scale_(hn::Set(D(), scale)),
        inverse_(hn::Set(D(), 1 / scale)),
        least_(hn::Set(D(), static_cast<float>(r.low - r.zero))),
        most_(hn::Set(D(), static_cast<float>(r.high - r.zero))),
        otherwise_(hn::Set(D(), otherwise)),
        has_inverse_(scale >= 0x1p-100f && scale <= 0x1p100f) {}

  /// n vectors.
  template <int n> HWY_INLINE void round(const V (&x)[n], VI (&to)[n]) const {
    const D d;
    if (HWY_LIKELY(has_inverse_)) {
      V distance[n];
      unrolled<n>([&](auto k) WEBNN_UNROLLED {
        const V q = clamped(hn::Mul(x[k], inverse_), least_, most_);
        to[k] = nearest_integers(q);
        distance[k] = hn::Abs(hn::Sub(q, hn::ConvertTo(d, to[k])));
      });
      const V near = hn::Set(d, 0.5f - 0x1p-13f);
      auto sure = hn::Lt(distance[0], near);  // not of NaN
      unrolled<n - 1>([&](auto k)
                          WEBNN_UNROLLED { sure = hn::And(sure, hn::Lt(distance[k + 1], near)); });
      if (HWY_LIKELY(hn::AllTrue(d, sure))) return;
    }
    unrolled<n>([&](auto k) WEBNN_UNROLLED {
      const V q = hn::Div(x[k], scale_);
      to[k] = nearest_integers(
          hn::Min(hn::Max(hn::IfThenElse(hn::Eq(q, q), q, otherwise_), least_), most_));
    });
  }

 private:
  V scale_, inverse_, least_, most_, otherwise_;
  bool has_inverse_;
};

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
