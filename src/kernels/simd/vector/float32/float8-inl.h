// Vectors of float8e4m3, as webnn/float8e4m3.h has them. One copy per target.
#if defined(WEBNN_SIMD_FLOAT8_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_FLOAT8_INL_H
#undef WEBNN_SIMD_FLOAT8_INL_H
#else
#define WEBNN_SIMD_FLOAT8_INL_H
#endif
#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

using Integers = hn::RebindToSigned<D>;

/// The values of bits in the lowest byte of each lane.
HWY_INLINE V values_of_float8(hn::Vec<Integers> v) {
  const Integers d;
  const auto magnitude = hn::And(v, hn::Set(d, 0x7f)),
             sign = hn::ShiftLeft<24>(hn::Xor(v, magnitude));
  const auto normal = hn::Add(hn::ShiftLeft<20>(magnitude), hn::Set(d, 120 << 23));
  const auto subnormal =
      hn::BitCast(d, hn::Mul(hn::ConvertTo(D(), magnitude), hn::Set(D(), 0x1p-9f)));
  const auto number = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 8)), subnormal, normal);
  const auto all =
      hn::IfThenElse(hn::Eq(magnitude, hn::Set(d, 0x7f)), hn::Set(d, 0x7fc00000), number);
  return hn::BitCast(D(), hn::Or(all, sign));
}

/// The bits of the nearest number, ties to even; what is larger, and infinity, becomes 448.
HWY_INLINE hn::Vec<Integers> bits_of_float8(V v) {
  const Integers d;
  const auto bits = hn::BitCast(d, v), magnitude = hn::And(bits, hn::Set(d, 0x7fffffff));
  const auto sign = hn::And(hn::ShiftRight<24>(bits), hn::Set(d, 0x80));
  // A subnormal is a multiple of 2^-9, the last bit of a float between 2^14 and 2^15.
  const V small = hn::BitCast(D(), hn::And(magnitude, hn::Set(d, 0x3fffffff))),
          base = hn::Set(D(), 0x1p14f);
  const auto subnormal = hn::Sub(hn::BitCast(d, hn::Add(small, base)), hn::BitCast(d, base));
  const auto rebased = hn::Sub(magnitude, hn::Set(d, 120 << 23));
  const auto odd = hn::And(hn::ShiftRight<20>(rebased), hn::Set(d, 1));
  const auto normal = hn::ShiftRight<20>(hn::Add(rebased, hn::Add(odd, hn::Set(d, 0x7ffff))));
  auto all = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 121 << 23)), subnormal, normal);
  constexpr std::int32_t largest = 0x43e00000, infinity = 0x7f800000;  // 448
  all = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, largest)), all, hn::Set(d, 0x7e));
  all = hn::IfThenElse(hn::Gt(magnitude, hn::Set(d, infinity)), hn::Set(d, 0x7f), all);
  return hn::Or(all, sign);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
