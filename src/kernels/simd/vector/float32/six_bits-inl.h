// Integers of 6 bits in vectors of words (small_panels.h). One copy per target.
#if defined(WEBNN_SIMD_SIX_BITS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_SIX_BITS_INL_H
#undef WEBNN_SIMD_SIX_BITS_INL_H
#else
#define WEBNN_SIMD_SIX_BITS_INL_H
#endif
#include <cstdint>
#include <type_traits>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// Four terms of sixteen in the bytes of a vector of words, where the three words of a column lie
/// `step` words apart.
template <int Quad>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> six_bits_at(const std::int32_t* w, std::size_t step,
                                                      std::integral_constant<int, Quad>) {
  const hn::RebindToSigned<D> d;
  if constexpr (Quad < 3) {
    return hn::And(hn::LoadU(d, w + Quad * step), hn::Set(d, 0x3f3f3f3f));
  } else {
    const auto low = hn::And(hn::ShiftRight<6>(hn::LoadU(d, w)), hn::Set(d, 0x03030303));
    const auto two =
        hn::OrAnd(low, hn::ShiftRight<4>(hn::LoadU(d, w + step)), hn::Set(d, 0x0c0c0c0c));
    return hn::OrAnd(two, hn::ShiftRight<2>(hn::LoadU(d, w + 2 * step)), hn::Set(d, 0x30303030));
  }
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
