// One NaN for all. Of two NaN that meet, processors return the first operand, and compilers order
// the operands of sums and products as they like: in the rest of a row otherwise than in whole
// vectors. One copy per target.
#if defined(WEBNN_SIMD_NAN_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_NAN_INL_H
#undef WEBNN_SIMD_NAN_INL_H
#else
#define WEBNN_SIMD_NAN_INL_H
#endif
#include <limits>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// The NaN of results, whatever the bits of those that they come from.
HWY_INLINE V with_one_nan(V v) {
  const V nan = hn::Set(D(), std::numeric_limits<float>::quiet_NaN());
  return hn::IfThenElse(hn::IsNaN(v), nan, v);
}
/// min(max(v, lo), hi) with that NaN.
HWY_INLINE V clamped_result(V v, V lo, V hi) { return with_one_nan(clamped(v, lo, hi)); }
HWY_INLINE float with_one_nan(float v) {
  return v != v ? std::numeric_limits<float>::quiet_NaN() : v;
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
