#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/quantize_row.cpp"
#include <algorithm>
#include <bit>
#include <cmath>

#include "src/kernels/simd/vector/int8/activations.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4

/// Magnitudes whose scales and their products with integers are ordinary floats.
inline constexpr float min_magnitude = 0x1p-120f, max_magnitude = 0x1p80f;

/// The largest magnitude of n floats; more than max_magnitude if one is not finite.
HWY_INLINE float magnitude(const float* x, std::size_t n) {
  const DI di;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const auto bits_of_abs = [](V v) HWY_ATTR { return hn::BitCast(DI(), hn::Abs(v)); };
  VI most = hn::Zero(di);  // as integers, NaN is above infinity
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) most = hn::Max(most, bits_of_abs(hn::LoadU(D(), x + i)));
  if (i < n) most = hn::Max(most, bits_of_abs(load_first(x + i, static_cast<int>(n - i))));
  const auto bits = hn::GetLane(hn::MaxOfLanes(di, most));
  return std::bit_cast<float>(std::min(bits, std::bit_cast<std::int32_t>(HUGE_VALF)));
}

/// The integers of x * inverse to whole vectors of `to`; returns their sum.
template <class Integer>
HWY_INLINE std::int32_t round_to(const float* x, std::size_t n, float inverse, Integer* to) {
  const D d;
  const DI di;
  const hn::Rebind<Integer, DI> small;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  VI sum = hn::Zero(di);
  const auto put = [&](V v, std::size_t i) HWY_ATTR {
    const VI rounded = hn::NearestInt(hn::Mul(v, hn::Set(d, inverse)));
    sum = hn::Add(sum, rounded);
    hn::StoreU(hn::DemoteTo(small, rounded), small, to + i);
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) put(hn::LoadU(d, x + i), i);
  if (i < n) put(load_first(x + i, static_cast<int>(n - i)), i);
  return hn::GetLane(hn::SumOfLanes(di, sum));
}

/// Whole vectors with the bytes of each 16 in another order.
HWY_INLINE void reorder(const std::uint8_t* from, std::size_t bytes, const std::uint8_t* order,
                        std::uint8_t* to) {
  const DB d;
  const VB indices = hn::LoadDup128(d, order);
  for (std::size_t i = 0; i < bytes; i += vector_bytes)
    hn::StoreU(hn::TableLookupBytes(hn::LoadU(d, from + i), indices), d, to + i);
}

// Eight terms of a word of int4: first those in the lower four bits of its bytes.
HWY_ALIGN inline constexpr std::uint8_t nibbles[] = {0, 2,  4,  6,  1, 3,  5,  7,
                                                     8, 10, 12, 14, 9, 11, 13, 15};

/// Whole vectors of bytes, in registers; `nibbles` counts from each eighth term, as lanes do.
template <bool Nibbles>
HWY_INLINE std::int32_t put_vectors(const float* x, std::size_t n, float inverse, std::int8_t* to) {
  const D d;
  const hn::Rebind<std::int8_t, DI> small;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  static_assert(!Nibbles || lanes % 8 == 0);
  VI sum = hn::Zero(DI());
  for (std::size_t i = 0; i < n; i += lanes) {
    const VI rounded = hn::NearestInt(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, inverse)));
    sum = hn::Add(sum, rounded);
    auto bytes = hn::DemoteTo(small, rounded);
    if constexpr (Nibbles) {
      const hn::RebindToUnsigned<decltype(small)> order;
      bytes = hn::BitCast(
          small, hn::TableLookupBytes(hn::BitCast(order, bytes), hn::LoadU(order, nibbles)));
    }
    hn::StoreU(bytes, small, to + i);
  }
  return hn::GetLane(hn::SumOfLanes(DI(), sum));
}

/// One piece; `to` may be written to the next whole vector.
HWY_INLINE std::int32_t put_piece(const QuantizedRow& row, const float* x, std::size_t n,
                                  float inverse, std::byte* to) {
  // Four terms of 16 bits of a word of int8: first those of its even bytes.
  HWY_ALIGN static constexpr std::uint8_t evens[] = {0, 1, 4,  5,  2,  3,  6,  7,
                                                     8, 9, 12, 13, 10, 11, 14, 15};
  constexpr std::size_t longest = 256;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  auto* const out = reinterpret_cast<std::uint8_t*>(to);
  const std::size_t bytes = row.piece_bytes(n);
  if (lanes % 8 == 0 && n % lanes == 0 && bytes == n) {
    auto* const all = reinterpret_cast<std::int8_t*>(out);
    if (row.weights.type == SmallType::int4) return put_vectors<lanes % 8 == 0>(x, n, inverse, all);
    return put_vectors<false>(x, n, inverse, all);
  }
  const std::size_t whole = n / vector_bytes * vector_bytes;
  if (row.wide()) {
    HWY_ALIGN std::int16_t v[longest + 2 * vector_bytes];
    std::fill_n(v + whole, 2 * vector_bytes, std::int16_t{0});
    const std::int32_t sum = round_to(x, n, inverse, v);
    reorder(reinterpret_cast<const std::uint8_t*>(v), bytes, evens, out);
    return sum;
  }
  HWY_ALIGN std::int8_t v[longest + 2 * vector_bytes];
  std::fill_n(v + whole, 2 * vector_bytes, std::int8_t{0});
  const std::int32_t sum = round_to(x, n, inverse, v);
  if (row.weights.type == SmallType::int4)
    reorder(reinterpret_cast<const std::uint8_t*>(v), bytes, nibbles, out);
  else std::copy_n(v, bytes, reinterpret_cast<std::int8_t*>(out));
  return sum;
}

bool put_row(const QuantizedRow& row, const float* x, std::byte* to) {
  const SmallPanels& w = row.weights;
  const std::int32_t offset = offset_of(w.type, row.native);
  const float factor = 127 * (w.scale_form == ScaleForm::float32 ? scale_factor(w.type) : 1);
  auto* piece = reinterpret_cast<QuantizedPiece*>(to);
  for (std::size_t b = 0; b < w.layout.blocks(); ++b) {
    std::byte* at = to + row.offset(b);
    const std::size_t count = w.pieces(b);
    for (std::size_t i = 0; i < count; ++i, ++piece) {
      const std::size_t n = w.terms(b, i);
      const float most = magnitude(x, n);
      if (most > max_magnitude || (most != 0 && most < min_magnitude)) return false;
      piece->scale = most / factor;
      const std::int32_t sum = put_piece(row, x, n, most == 0 ? 0 : 127 / most, at);
      piece->sum = w.zeros ? sum : (offset + w.zero) * sum;
      x += n;
      at += row.piece_bytes(n);
    }
  }
  return true;
}

#else

// Not called.
bool put_row(const QuantizedRow&, const float*, std::byte*) { return false; }

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(put_row);
bool quantize_row(const QuantizedRow& row, const float* x, std::byte* to) {
  return HWY_DYNAMIC_DISPATCH(put_row)(row, x, to);
}
}  // namespace webnn::inline v0_1::simd
#endif
