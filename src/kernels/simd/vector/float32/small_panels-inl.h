// Panels of small weights (small_panels.h) as vectors of floats. One copy per target.
#if defined(WEBNN_SIMD_SMALL_PANELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_SMALL_PANELS_INL_H
#undef WEBNN_SIMD_SMALL_PANELS_INL_H
#else
#define WEBNN_SIMD_SMALL_PANELS_INL_H
#endif
#include "src/kernels/simd/vector/float32/six_bits-inl.h"
#include "src/kernels/simd/vector/float32/small_panels.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

using DI = hn::RebindToSigned<D>;
using VI = hn::Vec<DI>;
inline constexpr auto lane_step = static_cast<std::size_t>(vector_lanes);

/// A vector of bytes as integers of 32 bits.
HWY_INLINE VI integers(const std::byte* p) {
  const hn::Rebind<std::int8_t, DI> bytes;
  return hn::PromoteTo(DI(), hn::LoadU(bytes, reinterpret_cast<const std::int8_t*>(p)));
}
HWY_INLINE V floats_of_float16(const std::byte* p) {
  const hn::Rebind<hwy::float16_t, D> float16_lanes;
  return hn::PromoteTo(D(), hn::LoadU(float16_lanes, reinterpret_cast<const hwy::float16_t*>(p)));
}
/// A vector of narrow floats as floats, over scale_factor().
template <SmallType Type> HWY_INLINE V narrow_floats(const std::byte* p) {
  if constexpr (Type == SmallType::float16) {
    return floats_of_float16(p);
  } else if constexpr (Type == SmallType::bfloat16) {  // the upper half of a float
    const hn::Rebind<std::uint16_t, D> bits16;
    const hn::RebindToUnsigned<D> words;
    const auto all = hn::LoadU(bits16, reinterpret_cast<const std::uint16_t*>(p));
    return hn::BitCast(D(), hn::ShiftLeft<16>(hn::PromoteTo(words, all)));
  } else {  // a float16 has one bit more between the sign and an exponent that is 8 less
    const hn::Rebind<std::int16_t, D> d;
    const hn::Rebind<std::int8_t, D> bytes;
    const hn::Rebind<hwy::float16_t, D> float16_lanes;
    const auto all = hn::PromoteTo(d, hn::LoadU(bytes, reinterpret_cast<const std::int8_t*>(p)));
    const auto in_place =
        hn::And(hn::ShiftLeft<7>(all), hn::Set(d, static_cast<std::int16_t>(0xbfffu)));
    return hn::PromoteTo(D(), hn::BitCast(float16_lanes, in_place));
  }
}

/// Where the parts of a piece of a panel of that many vectors lie.
template <int Vectors> struct Piece {
  const std::byte *head = nullptr, *scales = nullptr, *zeros = nullptr, *weights = nullptr;
  ScaleForm form = ScaleForm::float32;
  int zero = 0;

  /// `panel`: where the panel begins.
  Piece(const SmallPanels& p, const std::byte* panel, const std::byte* at)
      : head(panel), form(p.scale_form), zero(p.zero) {
    constexpr std::size_t columns = Vectors * lane_step;
    if (p.scales) {
      scales = at;
      at += columns * p.scale_bytes();
      if (p.zeros) zeros = at, at += columns;
    }
    weights = at;
  }
  /// The scales of a vector of columns, times scale_factor().
  template <SmallType Type> HWY_INLINE V scale(std::size_t vector) const {
    const D d;
    const std::size_t at = vector * lane_step;
    const auto floats = [&](const std::byte* p) HWY_ATTR {
      return hn::LoadU(d, reinterpret_cast<const float*>(p) + at);
    };
    if (!scales) return hn::Set(d, scale_factor(Type));
    if (form == ScaleForm::float32) return floats(scales);
    const V all = form == ScaleForm::float16
                      ? floats_of_float16(scales + 2 * at)
                      : hn::Mul(hn::ConvertTo(d, integers(scales + at)), floats(head));
    return hn::Mul(all, hn::Set(d, scale_factor(Type)));
  }
};
/// Where the first piece of a panel begins.
template <int Vectors>
HWY_INLINE const std::byte* first_piece(const SmallPanels& p, const std::byte* panel) {
  return panel + p.head_bytes() * Vectors * lane_step;
}

/// The integers of Bits bits of a vector of words that are the ones with the index Which, times
/// 2^(32 - Bits).
template <int Bits, int Which> HWY_INLINE VI high_bits(VI words) {
  if constexpr (Which == 0) return hn::ShiftLeft<32 - Bits>(words);
  else
    return hn::And(hn::ShiftLeft<32 - Bits - Bits * Which>(words),
                   hn::Set(DI(), -(1 << (32 - Bits))));
}
template <int Bits> HWY_INLINE VI high_bits_at(VI words, std::size_t which) {
  const VI all = hn::ShiftLeftSame(words, 32 - Bits - Bits * static_cast<int>(which));
  return hn::And(all, hn::Set(DI(), -(1 << (32 - Bits))));
}

/// Weights are asked for so many bytes before they are read: by itself, the processor stops at the
/// end of each page.
inline constexpr std::size_t prefetched = 2048;

/// f(term, which, vector, weights without scale) for the terms of a piece; `which` is 1 for each
/// second term of a word, or of a piece of floats, else 0. Weights are divided by
/// scale_factor(Type).
template <SmallType Type, int Vectors, bool Zeros, class F>
HWY_INLINE void for_weights(const Piece<Vectors>& p, std::size_t terms, F f) {
  const D d;
  const std::byte* w = p.weights;
  if constexpr (!has_integers(Type)) {
    constexpr std::size_t vector = lane_step * to_size(bits_of(Type)) / 8, step = Vectors * vector;
    std::size_t k = 0;
    for (; k + 2 <= terms; k += 2, w += 2 * step) {
      __builtin_prefetch(w + prefetched);
      __builtin_prefetch(w + prefetched + step);
#pragma GCC unroll 2
      for (int which = 0; which < 2; ++which)
#pragma GCC unroll 4
        for (int c = 0; c < Vectors; ++c)
          f(k + static_cast<std::size_t>(which), which, c,
            narrow_floats<Type>(w + static_cast<std::size_t>(which) * step + c * vector));
    }
    if (k == terms) return;
#pragma GCC unroll 4
    for (int c = 0; c < Vectors; ++c) f(k, 0, c, narrow_floats<Type>(w + c * vector));
  } else {
    constexpr bool six = Type == SmallType::int6;
    constexpr int bits = six ? 8 : bits_of(Type);
    constexpr std::size_t step = Vectors * lane_step * sizeof(std::int32_t), together = 32 / bits;
    V zero[Vectors];
    if constexpr (Zeros)
#pragma GCC unroll 4
      for (int c = 0; c < Vectors; ++c) {
        const V all = p.zeros ? hn::ConvertTo(d, integers(p.zeros + c * lane_step))
                              : hn::Set(d, static_cast<float>(p.zero + (six ? 32 : 0)));
        zero[c] = hn::Mul(all, hn::Set(d, 1 / scale_factor(Type)));
      }
    const auto number = [&](VI v, int c) HWY_ATTR {
      const V all = hn::ConvertTo(d, v);
      if constexpr (Zeros) return hn::Sub(all, zero[c]);
      else return all;
    };
    VI words[Vectors];
    const auto load = [&]() HWY_ATTR {
#pragma GCC unroll 4
      for (int c = 0; c < Vectors; ++c)
        words[c] = hn::LoadU(DI(), reinterpret_cast<const std::int32_t*>(w) + c * lane_step);
    };
    std::size_t k = 0;
    const auto one = [&]<int Which>(std::integral_constant<int, Which>) HWY_ATTR {
#pragma GCC unroll 4
      for (int c = 0; c < Vectors; ++c)
        f(k + Which, Which % 2, c, number(high_bits<bits, Which>(words[c]), c));
    };
    if constexpr (six) {  // whole units
      const auto quad = [&]<int Q>(std::integral_constant<int, Q> q) HWY_ATTR {
#pragma GCC unroll 4
        for (int c = 0; c < Vectors; ++c)
          words[c] = six_bits_at(reinterpret_cast<const std::int32_t*>(w) + c * lane_step,
                                 Vectors * lane_step, q);
        one(std::integral_constant<int, 0>());
        one(std::integral_constant<int, 1>());
        one(std::integral_constant<int, 2>());
        one(std::integral_constant<int, 3>());
        k += together;
      };
      for (; k < terms; w += 3 * step) {
        __builtin_prefetch(w + prefetched);
        __builtin_prefetch(w + prefetched + step);
        __builtin_prefetch(w + prefetched + 2 * step);
        quad(std::integral_constant<int, 0>());
        quad(std::integral_constant<int, 1>());
        quad(std::integral_constant<int, 2>());
        quad(std::integral_constant<int, 3>());
      }
      return;
    }
    for (; k + together <= terms; k += together, w += step) {
      __builtin_prefetch(w + prefetched);
      __builtin_prefetch(w + prefetched + step / 2);
      load();
      one(std::integral_constant<int, 0>());
      one(std::integral_constant<int, 1>());
      one(std::integral_constant<int, 2>());
      one(std::integral_constant<int, 3>());
      if constexpr (bits == 4) {
        one(std::integral_constant<int, 4>());
        one(std::integral_constant<int, 5>());
        one(std::integral_constant<int, 6>());
        one(std::integral_constant<int, 7>());
      }
    }
    if (k == terms) return;
    load();
    for (std::size_t i = 0; k + i < terms; ++i)
#pragma GCC unroll 4
      for (int c = 0; c < Vectors; ++c) f(k + i, 0, c, number(high_bits_at<bits>(words[c], i), c));
  }
}

/// An integer times a scale of float16, below 65520, rounded to float16: to 11 bits, with ties to
/// even, because multiples of 2^-24 that are smaller than normal numbers have no more.
HWY_INLINE V rounded_to_float16(V v) {
  const D d;
  const VI power =
      hn::And(hn::BitCast(DI(), v), hn::Set(DI(), static_cast<std::int32_t>(0xff800000u)));
  const V large = hn::BitCast(d, hn::Add(power, hn::Set(DI(), 13 << 23)));
  return hn::Sub(hn::Add(v, large), large);
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
