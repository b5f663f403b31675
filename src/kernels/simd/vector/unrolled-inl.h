// Loops whose counters are constants. One copy per target.
#if defined(WEBNN_SIMD_UNROLLED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_UNROLLED_INL_H
#undef WEBNN_SIMD_UNROLLED_INL_H
#else
#define WEBNN_SIMD_UNROLLED_INL_H
#endif
#include <type_traits>
#include <utility>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#ifdef WEBNN_UNROLLED
#undef WEBNN_UNROLLED
#endif
/// Behind the parameters of a lambda: it is inlined, and compiled for the target.
#define WEBNN_UNROLLED HWY_ATTR __attribute__((always_inline))

template <class F, int... I> HWY_INLINE void each_of(std::integer_sequence<int, I...>, F f) {
  (f(std::integral_constant<int, I>{}), ...);
}
/// f(0), ..., f(N - 1). The numbers are constants to the compiler from the beginning, so that
/// arrays of vectors that have them as indices become registers; an unrolled loop is often too late
/// for that.
template <int N, class F> HWY_INLINE void unrolled(F f) {
  each_of(std::make_integer_sequence<int, N>(), f);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
