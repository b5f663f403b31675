// Vectors of floats on the target that is compiled now. One copy per target.
#if defined(WEBNN_SIMD_VECTOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_VECTOR_INL_H
#undef WEBNN_SIMD_VECTOR_INL_H
#else
#define WEBNN_SIMD_VECTOR_INL_H
#endif
#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = HWY_FULL(float);
using V = hn::Vec<D>;
inline constexpr int vector_lanes = hn::MaxLanes(D());
/// Vector registers of the target.
inline constexpr int vector_registers =
    HWY_ARCH_ARM_A64 || (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3) ? 32 : 16;
/// Whether lanes that are masked off are neither read nor written; else they may fault.
inline constexpr bool masks_memory = HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2;

/// The first n floats, 0 < n < lanes; zeros in the other lanes.
HWY_INLINE V load_first(const float* p, int n) {
  const D d;
  if constexpr (masks_memory)
    return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(n)), d, p);
  HWY_ALIGN float all[vector_lanes] = {};
  for (int i = 0; i < vector_lanes && i < n; ++i) all[i] = p[i];
  return hn::Load(d, all);
}
HWY_INLINE void store_first(V v, float* p, int n) {
  const D d;
  if constexpr (masks_memory) {
    hn::BlendedStore(v, hn::FirstN(d, static_cast<std::size_t>(n)), d, p);
  } else {
    HWY_ALIGN float all[vector_lanes];
    hn::Store(v, d, all);
    for (int i = 0; i < vector_lanes && i < n; ++i) p[i] = all[i];
  }
}

/// min(n, lanes) floats.
HWY_INLINE V load_some(const float* p, int n) {
  return n >= vector_lanes ? hn::LoadU(D(), p) : load_first(p, n);
}
HWY_INLINE void store_some(V v, float* p, int n) {
  if (n >= vector_lanes) hn::StoreU(v, D(), p);
  else store_first(v, p, n);
}

/// max(v, lo); NaN stays NaN.
HWY_INLINE V at_least(V v, V lo) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4  // of a NaN and a number, this returns the second
  return hn::Max(lo, v);
#else
  return hn::IfThenElse(hn::Lt(v, lo), lo, v);
#endif
}
/// min(v, hi); NaN stays NaN.
HWY_INLINE V at_most(V v, V hi) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  return hn::Min(hi, v);
#else
  return hn::IfThenElse(hn::Gt(v, hi), hi, v);
#endif
}
/// min(max(v, lo), hi); NaN stays NaN.
HWY_INLINE V clamped(V v, V lo, V hi) { return at_most(at_least(v, lo), hi); }

/// The floats of a vector as doubles.
struct Doubles {
#if HWY_TARGET == HWY_SCALAR
  using Wide = hn::Rebind<double, D>;
#else
  using Wide = hn::Repartition<double, D>;
#endif
  hn::Vec<Wide> lower, upper;
};
HWY_INLINE Doubles doubles(V v) {
  const Doubles::Wide wide;
#if HWY_TARGET == HWY_SCALAR
  return {hn::PromoteTo(wide, v), hn::Zero(wide)};
#else
  const hn::Half<D> half;
  return {hn::PromoteTo(wide, hn::LowerHalf(half, v)), hn::PromoteTo(wide, hn::UpperHalf(half, v))};
#endif
}
HWY_INLINE V floats(const Doubles& v) {
#if HWY_TARGET == HWY_SCALAR
  return hn::DemoteTo(D(), v.lower);
#else
  const hn::Half<D> half;
  return hn::Combine(D(), hn::DemoteTo(half, v.upper), hn::DemoteTo(half, v.lower));
#endif
}

/// Keeps a value in a register: GCC would load it again at each use, in kernels bound by loads.
HWY_INLINE void keep([[maybe_unused]] V& v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  asm("" : "+v"(v.raw));
#endif
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
