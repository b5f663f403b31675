#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/bfloat16/convert.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "src/kernels/simd/vector/bfloat16/lines.h"
#include "src/kernels/simd/vector/bfloat16/pairs-inl.h"
#include "src/kernels/simd/vector/bfloat16/panels.h"
#include "src/kernels/simd/vector/float32/float8-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if !WEBNN_HAS_PAIRS

// Not called: bfloat16_products() says so.
void rows_of_pairs(bool, const float*, std::size_t, std::size_t, std::size_t, std::uint32_t*,
                   std::size_t) {}
void panels_of_pairs(bool, const PairMatrix&, const PanelLayout&, std::size_t, int, int,
                     std::uint32_t*) {}
void lines_of_pairs(bool, const PairLines&, int, std::size_t, std::uint32_t*) {}
bool has_pairs() { return false; }

#else

bool has_pairs() { return true; }

HWY_INLINE void store_pairs(VP v, std::size_t n, std::uint32_t* to) {
  const DP d;
  if (n >= static_cast<std::size_t>(vector_lanes)) hn::StoreU(v, d, to);
  else hn::BlendedStore(v, hn::FirstN(d, n), d, to);
}

template <bool Native>
void convert(const float* x, std::size_t stride, std::size_t rows, std::size_t n, std::uint32_t* to,
             std::size_t pitch) {
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  for (std::size_t r = 0; r < rows; ++r, x += stride, to += pitch) {
    std::size_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes)
      hn::StoreU(load_pairs<Native>(x + i, 2 * lanes), DP(), to + i / 2);
    if (i < n) store_pairs(load_pairs<Native>(x + i, n - i), pairs_of(n - i), to + i / 2);
  }
}
void rows_of_pairs(bool native, const float* x, std::size_t stride, std::size_t rows, std::size_t n,
                   std::uint32_t* to, std::size_t pitch) {
  (native ? convert<true> : convert<false>)(x, stride, rows, n, to, pitch);
}

/// n floats behind `begin` zeros, and zeros behind them.
template <bool Native>
void convert_joined(const float* from, std::size_t n, std::size_t begin, std::uint32_t* to,
                    std::size_t pitch) {
  std::fill_n(to, begin / 2, 0u);
  std::size_t at = begin / 2;
  if (begin % 2 != 0 && n > 0) {
    const float pair[2] = {0, *from};
    convert<Native>(pair, 0, 1, 2, to + at, 0);
    ++at, ++from, --n;
  }
  convert<Native>(from, 0, 1, n, to + at, 0);
  at += pairs_of(n);
  std::fill(to + at, to + pitch, 0u);
}

template <bool Native>
void convert_line(const PairLines& l, const float* from, std::size_t pixels, std::uint32_t* to) {
  if (l.channels % 2 == 0) return convert<Native>(from, 0, 1, pixels * l.channels, to, 0);
  convert<Native>(from, l.channels, pixels, l.channels, to, l.pixel());
}
void lines_of_pairs(bool native, const PairLines& l, int first, std::size_t count,
                    std::uint32_t* to) {
  const auto left = static_cast<std::size_t>(l.pad_left);
  const std::size_t begin = std::min(left, l.columns),
                    end = std::min(left + static_cast<std::size_t>(l.width), l.columns);
  for (std::size_t i = 0; i < count; ++i, to += l.pitch()) {
    const std::int64_t line = std::int64_t{first} + static_cast<std::int64_t>(i);
    if (line < 0 || line >= l.height) {
      std::fill_n(to, l.pitch(), 0u);
      continue;
    }
    const float* from =
        l.image + static_cast<std::size_t>(line) * static_cast<std::size_t>(l.width) * l.channels;
    if (l.joined) {
      (native ? convert_joined<true> : convert_joined<false>)(from, (end - begin) * l.channels,
                                                              begin * l.channels, to, l.pitch());
      continue;
    }
    std::fill_n(to, begin * l.pixel(), 0u);
    (native ? convert_line<true> : convert_line<false>)(l, from, end - begin,
                                                        to + begin * l.pixel());
    std::fill(to + end * l.pixel(), to + l.pitch(), 0u);
  }
}

using DNarrow = hn::Rebind<std::uint16_t, D>;

/// min(n, lanes) elements as floats; zeros in the other lanes.
HWY_INLINE V load_elements(const float* p, std::size_t n) {
  return n == 0 ? hn::Zero(D()) : load_some(p, static_cast<int>(n));
}
template <class Bits>
HWY_INLINE hn::Vec<hn::Rebind<Bits, D> > load_bits(const Bits* p, std::size_t n) {
  const hn::Rebind<Bits, D> d;
  return n >= static_cast<std::size_t>(vector_lanes) ? hn::LoadU(d, p)
                                                     : hn::MaskedLoad(hn::FirstN(d, n), d, p);
}
struct Float16Element {
  std::uint16_t bits;
};
HWY_INLINE V load_elements(const Float16Element* p, std::size_t n) {
  const hn::Rebind<hwy::float16_t, D> half;
  return hn::PromoteTo(D(), hn::BitCast(half, load_bits(&p->bits, n)));
}
struct BFloat16Element {
  std::uint16_t bits;
};
HWY_INLINE V load_elements(const BFloat16Element* p, std::size_t n) {
  return hn::BitCast(D(), hn::ShiftLeft<16>(hn::PromoteTo(DP(), load_bits(&p->bits, n))));
}
struct Float8Element {
  std::uint8_t bits;
};
HWY_INLINE V load_elements(const Float8Element* p, std::size_t n) {
  return values_of_float8(hn::PromoteTo(Integers(), load_bits(&p->bits, n)));
}

/// A vector of columns of a panel, whose rows lie together: a pair is of two rows.
template <bool Native, class Element>
void pack_rows_of_pairs(const PairMatrix& m, std::size_t k, std::size_t pairs, const Element* from,
                        std::size_t columns, std::uint32_t* to, std::size_t pitch) {
  const D d;
  const V scale = hn::Set(d, m.scale);
  for (std::size_t i = 0; i < pairs; ++i, k += 2, to += pitch) {
    const Element* row = from + k * m.stride_k;
    const V first = k < m.k ? hn::Mul(load_elements(row, columns), scale) : hn::Zero(d);
    const V second =
        k + 1 < m.k ? hn::Mul(load_elements(row + m.stride_k, columns), scale) : hn::Zero(d);
    hn::StoreU(pairs_of_lanes<Native>(first, second), DP(), to);
  }
}

/// Rows of 16 pairs become columns.
HWY_INLINE void transpose_pairs(VP (&v)[16]) {
  __m512i a[16], b[16];
  for (int i = 0; i < 16; i += 2) {
    a[i] = _mm512_unpacklo_epi32(v[i].raw, v[i + 1].raw);
    a[i + 1] = _mm512_unpackhi_epi32(v[i].raw, v[i + 1].raw);
  }
  for (int i = 0; i < 16; i += 4) {
    b[i] = _mm512_unpacklo_epi64(a[i], a[i + 2]);
    b[i + 1] = _mm512_unpackhi_epi64(a[i], a[i + 2]);
    b[i + 2] = _mm512_unpacklo_epi64(a[i + 1], a[i + 3]);
    b[i + 3] = _mm512_unpackhi_epi64(a[i + 1], a[i + 3]);
  }
  // b[4 * q + j] has in its block p column 4 * p + j of the rows 4 * q to 4 * q + 3.
  for (int j = 0; j < 4; ++j) {
    const __m512i low = _mm512_shuffle_i32x4(b[j], b[4 + j], 0x44),
                  low2 = _mm512_shuffle_i32x4(b[8 + j], b[12 + j], 0x44),
                  high = _mm512_shuffle_i32x4(b[j], b[4 + j], 0xee),
                  high2 = _mm512_shuffle_i32x4(b[8 + j], b[12 + j], 0xee);
    v[j].raw = _mm512_shuffle_i32x4(low, low2, 0x88);
    v[4 + j].raw = _mm512_shuffle_i32x4(low, low2, 0xdd);
    v[8 + j].raw = _mm512_shuffle_i32x4(high, high2, 0x88);
    v[12 + j].raw = _mm512_shuffle_i32x4(high, high2, 0xdd);
  }
}

/// The same where the terms of a column lie together: 16 columns and 16 pairs are transposed.
template <bool Native, class Element>
void pack_columns_of_pairs(const PairMatrix& m, std::size_t k, std::size_t pairs,
                           const Element* from, std::size_t columns, std::uint32_t* to,
                           std::size_t pitch) {
  static_assert(vector_lanes == 16);
  const D d;
  const V scale = hn::Set(d, m.scale);
  for (std::size_t i = 0; i < pairs; i += 16) {
    const std::size_t at = k + 2 * i, n = at < m.k ? std::min<std::size_t>(32, m.k - at) : 0,
                      some = std::min<std::size_t>(16, pairs - i);
    VP v[16];
    for (std::size_t c = 0; c < 16; ++c) {
      if (c >= columns || n == 0) {
        v[c] = hn::Zero(DP());
        continue;
      }
      const Element* terms = from + c * m.stride_column + at;
      const V first = load_elements(terms, n);
      const V second = n > 16 ? load_elements(terms + 16, n - 16) : hn::Zero(d);
      v[c] = pairs_of_neighbors<Native>(hn::Mul(first, scale), hn::Mul(second, scale));
    }
    transpose_pairs(v);
    for (std::size_t p = 0; p < some; ++p) hn::StoreU(v[p], DP(), to + (i + p) * pitch);
  }
}

template <bool Native, class Element>
void pack_groups(const PairMatrix& m, const Element* data, const PanelLayout& p, std::size_t block,
                 int first, int last, std::uint32_t* to) {
  const auto pack = m.stride_column == 1 ? pack_rows_of_pairs<Native, Element>
                                         : pack_columns_of_pairs<Native, Element>;
  for (int g = first; g < last; ++g) {
    const int vectors = p.group_vectors(g);
    for (int v = 0; v < vectors; ++v) {
      const int column = p.first_column(g) + v * vector_lanes;
      pack(m, 2 * block * p.block, p.block_size(block),
           data + static_cast<std::size_t>(column) * m.stride_column,
           static_cast<std::size_t>(std::min(p.columns - column, vector_lanes)),
           to + p.offset(block, g) + static_cast<std::size_t>(v * vector_lanes),
           static_cast<std::size_t>(vectors * vector_lanes));
    }
  }
}
void panels_of_pairs(bool native, const PairMatrix& m, const PanelLayout& p, std::size_t block,
                     int first, int last, std::uint32_t* to) {
  const auto pack = [&](auto* data) HWY_ATTR {
    using Element = std::remove_cvref_t<decltype(*data)>;
    (native ? pack_groups<true, Element> : pack_groups<false, Element>)(m, data, p, block, first,
                                                                        last, to);
  };
  switch (m.stored) {
    case StoredFloat::float32: return pack(m.data);
    case StoredFloat::float16: return pack(static_cast<const Float16Element*>(m.narrow));
    case StoredFloat::bfloat16: return pack(static_cast<const BFloat16Element*>(m.narrow));
    case StoredFloat::float8e4m3: return pack(static_cast<const Float8Element*>(m.narrow));
  }
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(rows_of_pairs);
HWY_EXPORT(panels_of_pairs);
HWY_EXPORT(lines_of_pairs);
HWY_EXPORT(has_pairs);

bool can_emulate_bfloat16() { return HWY_DYNAMIC_DISPATCH(has_pairs)(); }

void convert_rows(Bfloat16Products products, const float* x, std::size_t stride, std::size_t rows,
                  std::size_t n, std::uint32_t* to, std::size_t pitch) {
  HWY_DYNAMIC_DISPATCH(rows_of_pairs)
  (!are_emulated(products), x, stride, rows, n, to, pitch);
}
void convert_lines(Bfloat16Products products, const PairLines& l, int first, std::size_t count,
                   std::uint32_t* to) {
  HWY_DYNAMIC_DISPATCH(lines_of_pairs)
  (!are_emulated(products), l, first, count, to);
}
void pack_pairs(Bfloat16Products products, const PairMatrix& m, const PanelLayout& p,
                std::size_t block, int first, int last, std::uint32_t* to) {
  HWY_DYNAMIC_DISPATCH(panels_of_pairs)
  (!are_emulated(products), m, p, block, first, last, to);
}

}  // namespace webnn::inline v0_1::simd
#endif
