#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/pack.cpp"
#include "src/kernels/simd/vector/int8/pack.h"

#include <algorithm>

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/int8/integers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// Not called: without vectors there is no such backend.
void pack_columns(const Int8Pack&, const std::uint8_t*, std::int8_t*, std::int32_t*) {}

#else

constexpr auto lanes = static_cast<std::size_t>(vector_lanes);

/// The first n of 16 bytes of a row.
HWY_INLINE hn::Vec<hn::Full128<std::uint8_t> > load_block(const std::uint8_t* p, std::size_t n) {
  const hn::Full128<std::uint8_t> d;
  if (n >= 16) return hn::LoadU(d, p);
  HWY_ALIGN std::uint8_t all[16] = {};
  std::memcpy(all, p, n);
  return hn::Load(d, all);
}

/// The quads of four vectors, a panel; `left` columns are in the matrix. Rows behind the last are
/// zeros.
HWY_INLINE void pack_panel(const Int8Pack& g, const std::uint8_t* from, std::size_t row,
                           std::size_t left, std::int8_t* to) {
  const DB d;
  const VB flip = hn::Set(d, g.flip);
  VB rows[4];
  VI quads[4];
#pragma GCC unroll 4
  for (std::size_t r = 0; r < 4; ++r)
    rows[r] =
        row + r < g.k
            ? hn::Xor(load_bytes(from + (row + r) * g.stride, std::min(left, vector_bytes)), flip)
            : hn::Zero(d);
  interleave_quads(rows[0], rows[1], rows[2], rows[3], quads);
#pragma GCC unroll 4
  for (std::size_t v = 0; v < 4; ++v)
    hn::StoreU(hn::BitCast(d, quads[v]), d, reinterpret_cast<std::uint8_t*>(to) + v * vector_bytes);
}

/// The same of fewer vectors, whose columns are in order.
HWY_INLINE void pack_rest(const Int8Pack& g, const std::uint8_t* from, std::size_t row,
                          std::size_t left, std::size_t vectors, std::int8_t* to) {
  const hn::Full128<std::uint8_t> d;
  const hn::Full128<std::uint16_t> pairs;
  const auto flip = hn::Set(d, g.flip);
  const std::size_t bytes = vectors * vector_bytes;
  for (std::size_t c = 0; c * 4 < bytes; c += 16) {
    hn::Vec<decltype(d)> rows[4];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < 4; ++r)
      rows[r] = row + r < g.k && c < left
                    ? hn::Xor(load_block(from + (row + r) * g.stride + c, left - c), flip)
                    : hn::Zero(d);
    const auto low = hn::BitCast(pairs, hn::InterleaveLower(d, rows[0], rows[1])),
               high = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[0], rows[1])),
               low2 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[2], rows[3])),
               high2 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[2], rows[3]));
    HWY_ALIGN std::uint8_t quads[64];
    hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, low, low2)), d, quads);
    hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, low, low2)), d, quads + 16);
    hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, high, high2)), d, quads + 32);
    hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, high, high2)), d, quads + 48);
    if (bytes - c * 4 >= 64) std::memcpy(to + c * 4, quads, 64);
    else std::memcpy(to + c * 4, quads, bytes - c * 4);
  }
}

/// Reads the quads again, which are in L1.
template <std::size_t Vectors>
void add_columns(const Int8Pack& g, const std::int8_t* w, std::int32_t* bias) {
  const DI d;
  const VI ones = hn::Set(d, 0x01010101);
  VI sum[Vectors];
  for (VI& s : sum) s = hn::Zero(d);
  for (std::size_t k = 0; k < g.k; k += 4, w += Vectors * vector_bytes)
#pragma GCC unroll 4
    for (std::size_t v = 0; v < Vectors; ++v)
      sum[v] = dot<false>(sum[v], ones, hn::LoadU(d, as_ints(w + v * vector_bytes)));
  // Modulo 2^32, as the sums of products are.
  const auto fixed = static_cast<std::uint32_t>(g.k) * static_cast<std::uint32_t>(g.x_zero) *
                     static_cast<std::uint32_t>(g.w_zero);
  const VI constant = hn::Set(d, static_cast<std::int32_t>(fixed)), zero = hn::Set(d, g.x_zero);
  for (std::size_t v = 0; v < Vectors; ++v)
    hn::StoreU(hn::Sub(constant, hn::Mul(zero, sum[v])), d, bias + v * lanes);
}

void pack_columns(const Int8Pack& g, const std::uint8_t* from, std::int8_t* w, std::int32_t* bias) {
  const std::size_t vectors = (g.columns + lanes - 1) / lanes, quads = (g.k + 3) / 4;
  for (std::size_t first = 0; first < vectors; first += 4) {
    const std::size_t column = first * lanes, wide = std::min<std::size_t>(4, vectors - first),
                      left = g.columns - column;
    std::int8_t* const panel = w + first * quads * vector_bytes;
    for (std::size_t q = 0; q < quads; ++q) {
      std::int8_t* const to = panel + q * wide * vector_bytes;
      if (wide == 4) pack_panel(g, from + column, 4 * q, left, to);
      else pack_rest(g, from + column, 4 * q, left, wide, to);
    }
    switch (wide) {
      case 1: add_columns<1>(g, panel, bias + column); break;
      case 2: add_columns<2>(g, panel, bias + column); break;
      case 3: add_columns<3>(g, panel, bias + column); break;
      default: add_columns<4>(g, panel, bias + column);
    }
  }
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(pack_columns);
void int8_pack(const Int8Pack& g, const std::uint8_t* from, std::int8_t* w, std::int32_t* bias) {
  HWY_DYNAMIC_DISPATCH(pack_columns)(g, from, w, bias);
}
}  // namespace webnn::inline v0_1::simd
#endif
