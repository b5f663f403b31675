// Vectors of bytes and of their sums of products, on the target that is compiled now. One copy
// per target.
//
// Bytes of four rows are interleaved to quads: a 32-bit lane holds the four bytes of one column,
// and dot() adds their products with four weights. Interleaving and packing work within blocks of
// 128 bits, in inverse orders, so that results have the order of the bytes.
#if defined(WEBNN_SIMD_INTEGERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_INTEGERS_INL_H
#undef WEBNN_SIMD_INTEGERS_INL_H
#else
#define WEBNN_SIMD_INTEGERS_INL_H
#endif
#include <cstdint>
#include <cstring>

#include "src/kernels/simd/vector/int8/fixed_point.h"
#include "src/kernels/simd/vector/int8/layout.h"
#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

using DI = hn::Repartition<std::int32_t, D>;
using VI = hn::Vec<DI>;
using DS = hn::Repartition<std::int16_t, D>;
using VS = hn::Vec<DS>;
using DB = hn::Repartition<std::uint8_t, D>;
using VB = hn::Vec<DB>;
inline constexpr std::size_t vector_bytes = 4 * static_cast<std::size_t>(vector_lanes);

/// Whether a CPU of this target may have the dot product instruction or not (dot_product.h).
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3_DL && HWY_TARGET <= HWY_AVX2
inline constexpr bool may_be_native = true;
#else
inline constexpr bool may_be_native = false;
#endif

/// sum + x[0] * w[0] + ... + x[3] * w[3] in each lane: x unsigned bytes, w signed ones. Native:
/// with the instruction, in assembler because not every version of Highway enables it for the
/// compiler.
template <bool Native> HWY_INLINE VI dot(VI sum, VI x, VI w) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  if constexpr (Native || HWY_TARGET <= HWY_AVX3_DL) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(x.raw), "v"(w.raw));
    return sum;
  }
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  if constexpr (Native) {
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(x.raw), "x"(w.raw));
    return sum;
  }
#endif
  const DS d;
  const hn::Repartition<std::uint16_t, D> du;
  const VS x_even = hn::And(hn::BitCast(d, x), hn::Set(d, 0xff));
  const VS x_odd = hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(du, x)));
  const VS w_odd = hn::ShiftRight<8>(hn::BitCast(d, w));
  const VS w_even = hn::ShiftRight<8>(hn::ShiftLeft<8>(hn::BitCast(d, w)));
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4  // neighbors are added already
  VI unused = hn::Zero(DI());
  sum = hn::ReorderWidenMulAccumulate(DI(), x_even, w_even, sum, unused);
  return hn::ReorderWidenMulAccumulate(DI(), x_odd, w_odd, sum, unused);
#else
  VI first = hn::Zero(DI()), second = first;
  first = hn::ReorderWidenMulAccumulate(DI(), x_even, w_even, first, second);
  first = hn::ReorderWidenMulAccumulate(DI(), x_odd, w_odd, first, second);
  return hn::Add(sum, hn::RearrangeToOddPlusEven(first, second));
#endif
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
/// The sums of 32 bits with the products of both integers of 16 bits in each lane; and the sums of
/// 16 bits with those of both bytes, w unsigned and x signed, which may not exceed 16 bits. In
/// assembler so that the sums stay in registers: GCC would multiply ahead.
HWY_INLINE VI add_products(VI sum, VI w, VI x) {
#if HWY_TARGET <= HWY_AVX2
  VI product;
  asm("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0"
      : "+v"(sum.raw), "=&v"(product.raw)
      : "v"(w.raw), "v"(x.raw));
  return sum;
#else
  return VI{_mm_add_epi32(sum.raw, _mm_madd_epi16(w.raw, x.raw))};
#endif
}
HWY_INLINE VI add_pairs(VI sum, VI w, VI x) {
#if HWY_TARGET <= HWY_AVX2
  VI products;
  asm("vpmaddubsw %3, %2, %1\n\tvpaddw %1, %0, %0"
      : "+v"(sum.raw), "=&v"(products.raw)
      : "v"(w.raw), "v"(x.raw));
  return sum;
#else
  return VI{_mm_add_epi16(sum.raw, _mm_maddubs_epi16(w.raw, x.raw))};
#endif
}
#endif

/// The quads of four rows: of the first to last quarter of each block.
HWY_INLINE void interleave_quads(VB a, VB b, VB c, VB e, VI* quads) {
  const DB d;
  const auto ab = hn::BitCast(DS(), hn::InterleaveLower(d, a, b));
  const auto ab2 = hn::BitCast(DS(), hn::InterleaveUpper(d, a, b));
  const auto ce = hn::BitCast(DS(), hn::InterleaveLower(d, c, e));
  const auto ce2 = hn::BitCast(DS(), hn::InterleaveUpper(d, c, e));
  quads[0] = hn::BitCast(DI(), hn::InterleaveLower(DS(), ab, ce));
  quads[1] = hn::BitCast(DI(), hn::InterleaveUpper(DS(), ab, ce));
  quads[2] = hn::BitCast(DI(), hn::InterleaveLower(DS(), ab2, ce2));
  quads[3] = hn::BitCast(DI(), hn::InterleaveUpper(DS(), ab2, ce2));
}

HWY_INLINE VB pack_bytes(VS a, VS b) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return VB{_mm512_packus_epi16(a.raw, b.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return VB{_mm256_packus_epi16(a.raw, b.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  return VB{_mm_packus_epi16(a.raw, b.raw)};
#else
  const hn::Half<DB> half;
  return hn::Combine(DB(), hn::DemoteTo(half, b), hn::DemoteTo(half, a));
#endif
}

using DW = hn::Repartition<std::int64_t, D>;
using VW = hn::Vec<DW>;

/// Factors of a vector of integers: what scaled() does, for the even and the odd lanes.
class Factor {
 public:
  HWY_INLINE Factor(const Factors& f, std::size_t at)
      : multiplier_{hn::LoadU(DI(), f.multipliers + at)},
        addend_{hn::LoadU(DW(), f.addends + at),
                hn::LoadU(DW(), f.addends + at + vector_lanes / 2)},
        shift_{hn::LoadU(DW(), f.shifts + at), hn::LoadU(DW(), f.shifts + at + vector_lanes / 2)} {
    multiplier_[1] = odd(multiplier_[0]);
  }
  HWY_INLINE explicit Factor(FixedPoint f) {
    const Rounding r(f);
    multiplier_[0] = multiplier_[1] = hn::Set(DI(), f.multiplier);
    addend_[0] = addend_[1] = hn::Set(DW(), r.addend);
    shift_[0] = shift_[1] = hn::Set(DW(), r.shift);
  }

  template <Ties ties> HWY_INLINE VI of(VI x) const {
    const VW even_lanes = part<ties>(hn::MulEven(x, multiplier_[0]), 0);
    const VW odd_lanes = part<ties>(hn::MulEven(odd(x), multiplier_[1]), 1);
    return hn::OddEven(hn::BitCast(DI(), hn::ShiftLeft<32>(odd_lanes)),
                       hn::BitCast(DI(), even_lanes));
  }

 private:
  static HWY_INLINE VI odd(VI v) {
    return hn::BitCast(DI(), hn::ShiftRight<32>(hn::BitCast(DW(), v)));
  }
  template <Ties ties> HWY_INLINE VW part(VW product, int i) const {
    VW sum = hn::Add(product, addend_[i]);
    if constexpr (ties == Ties::away) {
      const auto negative = hn::Lt(product, hn::Set(DW(), -(std::int64_t{1} << 30)));
      const auto down = hn::And(negative, hn::Gt(shift_[i], hn::Set(DW(), 31)));
      sum = hn::Sub(sum, hn::IfThenElseZero(down, hn::Set(DW(), std::int64_t{1} << 31)));
    }
    return hn::Shr(sum, shift_[i]);
  }

  VI multiplier_[2];
  VW addend_[2], shift_[2];
};

/// The nearest integers, halves to even, of floats below 2^31.
HWY_INLINE VI nearest_integers(V v) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return VI{_mm512_cvtps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return VI{_mm256_cvtps_epi32(v.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  return VI{_mm_cvtps_epi32(v.raw)};
#else
  return hn::NearestInt(v);
#endif
}

/// What Requantization::floats has for a vector of columns, as Factor has it for fixedPoint.
class FloatFactor {
 public:
  HWY_INLINE FloatFactor(const Factors& f, std::size_t at)
      : scale_(hn::LoadU(D(), f.scales + at)), offset_(hn::LoadU(D(), f.offsets + at)) {}
  template <Ties ties> HWY_INLINE VI of(VI x) const {
    return nearest_integers(hn::MulAdd(hn::ConvertTo(D(), x), scale_, offset_));
  }

 private:
  V scale_, offset_;
};

/// Rounded products to bytes: product + zero within bounds, as unsigned bytes, then flipped.
struct Output {
  VS zero;
  VB low, high, flip;
  VI wide_zero, wide_low, wide_high;

  HWY_INLINE explicit Output(const Int8Result& r)
      : zero(hn::Set(DS(), static_cast<std::int16_t>(r.zero))),
        low(hn::Set(DB(), r.low)),
        high(hn::Set(DB(), r.high)),
        flip(hn::Set(DB(), r.flip)),
        wide_zero(hn::Set(DI(), r.zero)),
        wide_low(hn::Set(DI(), r.low)),
        wide_high(hn::Set(DI(), r.high)) {}

  /// Four vectors of products, each a quarter of every block.
  HWY_INLINE VB bytes(VI p, VI q, VI r, VI s) const {
    const VS a = hn::SaturatedAdd(hn::ReorderDemote2To(DS(), p, q), zero);
    const VS b = hn::SaturatedAdd(hn::ReorderDemote2To(DS(), r, s), zero);
    return hn::Xor(hn::Min(hn::Max(pack_bytes(a, b), low), high), flip);
  }
  /// One vector in its own order: the first n bytes.
  HWY_INLINE void store(VI rounded, std::uint8_t* y, std::size_t n) const {
    const hn::Rebind<std::uint8_t, DI> quarter;
    const auto v = hn::Min(hn::Max(hn::Add(rounded, wide_zero), wide_low), wide_high);
    const auto bytes = hn::Xor(hn::DemoteTo(quarter, v), hn::Set(quarter, hn::GetLane(flip)));
    if (n >= static_cast<std::size_t>(vector_lanes)) {
      hn::StoreU(bytes, quarter, y);
    } else if constexpr (vector_bytes == 64) {
      hn::BlendedStore(bytes, hn::FirstN(quarter, n), quarter, y);
    } else {
      HWY_ALIGN std::uint8_t all[vector_bytes];
      hn::StoreU(bytes, quarter, all);
      std::memcpy(y, all, n);
    }
  }
};
using Quarter = hn::Rebind<std::uint8_t, DI>;

/// The first n bytes as integers, zeros behind them.
HWY_INLINE VI load_ints(const std::uint8_t* p, std::size_t n, std::uint8_t flip) {
  const Quarter q;
  if (n >= static_cast<std::size_t>(vector_lanes))
    return hn::PromoteTo(DI(), hn::Xor(hn::LoadU(q, p), hn::Set(q, flip)));
  HWY_ALIGN std::uint8_t all[vector_bytes] = {};
  std::memcpy(all, p, n);
  return hn::PromoteTo(DI(), hn::Xor(hn::LoadU(q, all), hn::Set(q, flip)));
}

/// The first n bytes, zeros behind them.
HWY_INLINE VB load_bytes(const std::uint8_t* p, std::size_t n) {
  if (n >= vector_bytes) return hn::LoadU(DB(), p);
  HWY_ALIGN std::uint8_t all[vector_bytes] = {};
  std::memcpy(all, p, n);
  return hn::Load(DB(), all);
}
HWY_INLINE void store_bytes(VB v, std::uint8_t* y, std::size_t n) {
  if (n >= vector_bytes) {
    hn::StoreU(v, DB(), y);
  } else {
    HWY_ALIGN std::uint8_t all[vector_bytes];
    hn::Store(v, DB(), all);
    std::memcpy(y, all, n);
  }
}

/// The first n bytes, n <= 16.
HWY_INLINE void copy_few(const std::uint8_t* from, std::size_t n, std::uint8_t* to) {
  const auto both_ends = [&]<class T>(T first) {
    T last;
    std::memcpy(&first, from, sizeof first);
    std::memcpy(&last, from + n - sizeof last, sizeof last);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + n - sizeof last, &last, sizeof last);
  };
  if (n == 16) std::memcpy(to, from, 16);
  else if (n >= 8) both_ends(std::uint64_t{});
  else if (n >= 4) both_ends(std::uint32_t{});
  else
    for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
}
/// What Output::bytes() makes of four vectors: the bytes of each, one after the other.
HWY_INLINE VB in_rows(VB v) {
  if constexpr (vector_lanes == 4) return v;
  // Blocks have four lanes of each vector.
  HWY_ALIGN static constexpr std::int32_t order[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                       2, 6, 10, 14, 3, 7, 11, 15};
  HWY_ALIGN static constexpr std::int32_t order_of_8[8] = {0, 4, 1, 5, 2, 6, 3, 7};
  const auto indices = hn::SetTableIndices(DI(), vector_lanes == 16 ? order : order_of_8);
  return hn::BitCast(DB(), hn::TableLookupLanes(hn::BitCast(DI(), v), indices));
}
/// What Output::bytes() makes of four rows of vector_lanes columns: the first n of each.
HWY_INLINE void store_rows(VB v, std::uint8_t* y, std::size_t stride, std::size_t n) {
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  v = in_rows(v);
  if (n == lanes && stride == lanes) return hn::StoreU(v, DB(), y);
  HWY_ALIGN std::uint8_t all[vector_bytes];
  hn::Store(v, DB(), all);
  for (std::size_t r = 0; r < 4; ++r) copy_few(all + r * lanes, n, y + r * stride);
}

HWY_INLINE const std::int32_t* as_ints(const void* p) {
  return static_cast<const std::int32_t*>(p);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
