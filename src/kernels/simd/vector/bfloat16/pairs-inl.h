// Vectors of pairs of bfloat16. One copy per target, of which one has code.
#if defined(WEBNN_SIMD_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_PAIRS_INL_H
#undef WEBNN_SIMD_PAIRS_INL_H
#else
#define WEBNN_SIMD_PAIRS_INL_H
#endif
#include "src/kernels/simd/vector/bfloat16/pairs.h"
#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

/// Whether the target has kernels of bfloat16: those with vectors of 512 bits.
#undef WEBNN_HAS_PAIRS
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define WEBNN_HAS_PAIRS 1
#else
#define WEBNN_HAS_PAIRS 0
#endif

#if WEBNN_HAS_PAIRS

using DP = hn::Repartition<std::uint32_t, D>;
using VP = hn::Vec<DP>;

/// Subnormal numbers as zeros.
HWY_INLINE V flushed(V v) {
  const DP d;
  const VP bits = hn::BitCast(d, v), sign = hn::And(bits, hn::Set(d, 0x80000000u));
  const auto tiny = hn::Lt(hn::Abs(v), hn::Set(D(), 0x1p-126f));
  return hn::IfThenElse(tiny, hn::BitCast(D(), sign), v);
}

/// What the instruction does, by operations of floats. Called, not repeated in every kernel: it is
/// for tests.
inline HWY_NOINLINE V add_emulated_pairs(V sum, VP a, VP b) {
  const D d;
  const VP second = hn::Set(DP(), 0xffff0000u);
  const auto add = [&](V to, VP x, VP y) HWY_ATTR {
    return flushed(hn::MulAdd(flushed(hn::BitCast(d, x)), flushed(hn::BitCast(d, y)), flushed(to)));
  };
  sum = add(sum, hn::And(a, second), hn::And(b, second));
  return add(sum, hn::ShiftLeft<16>(a), hn::ShiftLeft<16>(b));
}
/// sum + the products of both elements of each pair. In assembler, because not every version of
/// Highway enables the instruction for the compiler.
template <bool Native> HWY_INLINE V add_pairs(V sum, VP a, VP b) {
  if constexpr (!Native) return add_emulated_pairs(sum, a, b);
  else asm("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
}

/// The nearest bfloat16 in the upper half of each lane (pairs.h).
HWY_INLINE VP rounded(V v) {
  const DP d;
  const VP bits = hn::BitCast(d, v), one = hn::Set(d, 1);
  const VP up = hn::Add(hn::Set(d, 0x7fff), hn::And(hn::ShiftRight<16>(bits), one));
  const VP nan = hn::Or(bits, hn::Set(d, 0x00400000u));
  const auto is_nan = hn::RebindMask(d, hn::IsNaN(v));
  const auto is_tiny = hn::RebindMask(d, hn::Lt(hn::Abs(v), hn::Set(D(), 0x1p-126f)));
  const VP all = hn::IfThenElse(is_nan, nan, hn::Add(bits, up));
  return hn::And(hn::IfThenElse(is_tiny, hn::And(bits, hn::Set(d, 0x80000000u)), all),
                 hn::Set(d, 0xffff0000u));
}

/// Floats of two vectors: pairs of those in the same lane ...
template <bool Native> HWY_INLINE VP pairs_of_lanes(V first, V second) {
  if constexpr (Native) {
    VP both;  // all of the first, then all of the second
    asm("vcvtne2ps2bf16 %1, %2, %0" : "=v"(both.raw) : "v"(first.raw), "v"(second.raw));
    alignas(64) static constexpr std::uint16_t order[32] = {
        0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    return VP{_mm512_permutexvar_epi16(_mm512_load_si512(order), both.raw)};
  } else {
    return hn::Or(rounded(second), hn::ShiftRight<16>(rounded(first)));
  }
}
/// ... or of neighbors, those of the first vector first.
template <bool Native> HWY_INLINE VP pairs_of_neighbors(V first, V second) {
  if constexpr (Native) {
    VP all;
    asm("vcvtne2ps2bf16 %1, %2, %0" : "=v"(all.raw) : "v"(first.raw), "v"(second.raw));
    return all;
  } else {
    const D d;
    const V even = hn::ConcatEven(d, second, first), odd = hn::ConcatOdd(d, second, first);
    return pairs_of_lanes<false>(even, odd);
  }
}

/// Pairs of n floats that follow one another, 0 < n <= 2 * lanes.
template <bool Native> HWY_INLINE VP load_pairs(const float* p, std::size_t n) {
  const D d;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  if (n >= 2 * lanes) return pairs_of_neighbors<Native>(hn::LoadU(d, p), hn::LoadU(d, p + lanes));
  const V first = load_some(p, static_cast<int>(n));
  const V second = n > lanes ? load_first(p + lanes, static_cast<int>(n - lanes)) : hn::Zero(d);
  return pairs_of_neighbors<Native>(first, second);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
