#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/few_queries.cpp"
#include "src/kernels/simd/vector/float32/few_queries.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "webnn/float16.h"

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/float32/nan-inl.h"
#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

inline constexpr auto each = static_cast<std::size_t>(vector_lanes);
/// Rows that are multiplied at once, whose sums are in registers.
inline constexpr std::size_t rows_together = vector_registers == 32 ? 4 : 2;

static_assert(stored_block % each == 0);

template <StoredAs As> inline constexpr std::size_t bytes_of = bytes_of_element(As);

/// A row from some element on; of int8, from one at which a block begins.
template <StoredAs As> struct Elements {
  const std::byte* data;
  const float* scales;
};
template <StoredAs As> HWY_INLINE Elements<As> row_of(const StoredRows& m, std::size_t i) {
  const std::size_t at = i * m.stride;
  if constexpr (As == StoredAs::int8) return {m.data + at, m.scales + at / stored_block};
  else return {m.data + at * bytes_of<As>, nullptr};
}

/// min(n, lanes) elements behind the first `at` of a row as floats, and zeros. `at` is a multiple
/// of the lanes.
template <StoredAs As>
HWY_INLINE V elements(const Elements<As>& row, std::size_t at, std::size_t n) {
  [[maybe_unused]] const std::byte* from = row.data + at * bytes_of<As>;
  if constexpr (As == StoredAs::int8) {
    const D d;
    const hn::Rebind<std::int32_t, D> wide;
    const hn::Rebind<std::int8_t, D> narrow;
    const auto integers =
        hn::PromoteTo(wide, hn::LoadU(narrow, reinterpret_cast<const std::int8_t*>(from)));
    return hn::Mul(hn::ConvertTo(d, integers), hn::Set(d, row.scales[at / stored_block]));
  } else if constexpr (As == StoredAs::float32) {
    return load_some(reinterpret_cast<const float*>(from), static_cast<int>(std::min(n, each)));
  } else if constexpr (As == StoredAs::bfloat16) {
    const hn::RebindToUnsigned<D> words;
    const hn::Rebind<std::uint16_t, D> narrow;
    const auto load = [&](const std::uint16_t* bits) HWY_ATTR {
      return hn::BitCast(D(), hn::ShiftLeft<16>(hn::PromoteTo(words, hn::LoadU(narrow, bits))));
    };
    if (HWY_LIKELY(n >= each)) return load(reinterpret_cast<const std::uint16_t*>(from));
    HWY_ALIGN std::uint16_t bits[each] = {};
    std::memcpy(bits, from, 2 * n);
    return load(bits);
  } else {
    HWY_ALIGN std::uint16_t bits[each];
    if constexpr (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) {  // has an instruction for it
      const hn::Rebind<hwy::float16_t, D> half;
      const auto* at = reinterpret_cast<const hwy::float16_t*>(from);
      if (HWY_LIKELY(n >= each)) return hn::PromoteTo(D(), hn::LoadU(half, at));
      std::fill_n(bits, each, std::uint16_t{0});
      std::memcpy(bits, from, 2 * n);
      return hn::PromoteTo(D(), hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(bits)));
    } else {
      HWY_ALIGN float all[each] = {};
      const std::size_t count = std::min(n, each);
      std::memcpy(bits, from, 2 * count);
      for (std::size_t i = 0; i < count; ++i) all[i] = float16_value(bits[i]);
      return hn::Load(D(), all);
    }
  }
}

#if HWY_TARGET == HWY_SCALAR

template <StoredAs As>
void multiply(const StoredRows& keys, const float* queries, std::size_t count, float* scores) {
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t k = 0; k < keys.rows; ++k) {
      V sum = hn::Zero(D());
      for (std::size_t i = 0; i < keys.columns; ++i)
        sum = hn::MulAdd(hn::Set(D(), queries[r * keys.columns + i]),
                         elements<As>(row_of<As>(keys, k), i, 1), sum);
      scores[r * keys.rows + k] = hn::GetLane(sum);
    }
}

#else

/// For each block of 128 bits: the sums of the lanes of four vectors.
HWY_INLINE V sums_in_blocks(V a, V b, V c, V e) {
  const D d;
  const Doubles::Wide wide;
  const V ab = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  const V ce = hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e));
  const auto first = hn::BitCast(wide, ab), second = hn::BitCast(wide, ce);
  return hn::Add(hn::BitCast(d, hn::InterleaveLower(wide, first, second)),
                 hn::BitCast(d, hn::InterleaveUpper(wide, first, second)));
}
/// Vector i has the sums in blocks of the vectors from 4 i on: the sums of all vectors, in order.
template <std::size_t Blocks> HWY_INLINE V sums_of(const V (&p)[Blocks]) {
  if constexpr (Blocks == 1) {
    return p[0];
  } else {
    const D d;
    const auto both = [&](V a, V b) HWY_ATTR {
      return hn::Add(hn::ConcatLowerLower(d, b, a), hn::ConcatUpperUpper(d, b, a));
    };
    if constexpr (Blocks == 2) {
      return both(p[0], p[1]);
    } else {
      static_assert(Blocks == 4);
      const V even = both(p[0], p[2]), odd = both(p[1], p[3]);
      return hn::OddEvenBlocks(hn::Add(odd, hn::SwapAdjacentBlocks(odd)),
                               hn::Add(even, hn::SwapAdjacentBlocks(even)));
    }
  }
}

/// The products of some rows with a vector of keys, of which those from `valid` on are not there.
template <StoredAs As, std::size_t Rows>
HWY_INLINE void multiply_vector(const StoredRows& keys, std::size_t first, std::size_t valid,
                                const float* queries, std::size_t query_stride, float* scores) {
  const D d;
  V parts[Rows][each / 4];
#pragma GCC unroll 4
  for (std::size_t part = 0; part < each / 4; ++part) {
    Elements<As> at[4];
    for (std::size_t i = 0; i < 4; ++i)
      at[i] = row_of<As>(keys, first + std::min(4 * part + i, valid - 1));
    V sum[Rows][4];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) sum[r][i] = hn::Zero(d);
    for (std::size_t n = 0; n < keys.columns; n += each) {
      V key[4];
#pragma GCC unroll 4
      for (std::size_t i = 0; i < 4; ++i) key[i] = elements<As>(at[i], n, keys.columns - n);
#pragma GCC unroll 4
      for (std::size_t r = 0; r < Rows; ++r) {
        const V q = hn::LoadU(d, queries + r * query_stride + n);
#pragma GCC unroll 4
        for (std::size_t i = 0; i < 4; ++i) sum[r][i] = hn::MulAdd(q, key[i], sum[r][i]);
      }
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Rows; ++r)
      parts[r][part] = sums_in_blocks(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
  }
#pragma GCC unroll 4
  for (std::size_t r = 0; r < Rows; ++r)
    store_some(sums_of(parts[r]), scores + r * keys.rows, static_cast<int>(valid));
}

template <StoredAs As>
void multiply(const StoredRows& keys, const float* queries, std::size_t count, float* scores) {
  const std::size_t stride = (keys.columns + each - 1) / each * each;
  for (std::size_t k = 0; k < keys.rows; k += each) {
    const std::size_t valid = std::min(each, keys.rows - k);
    const auto some = [&]<std::size_t Rows>(std::integral_constant<std::size_t, Rows>,
                                            std::size_t r) HWY_ATTR {
      multiply_vector<As, Rows>(keys, k, valid, queries + r * stride, stride,
                                scores + r * keys.rows + k);
    };
    std::size_t r = 0;
    for (; r + rows_together <= count; r += rows_together)
      some(std::integral_constant<std::size_t, rows_together>(), r);
    const std::size_t left = count - r;
    if (rows_together > 2 && left == 3) some(std::integral_constant<std::size_t, 3>(), r);
    else if (rows_together > 2 && left == 2) some(std::integral_constant<std::size_t, 2>(), r);
    else if (left == 1) some(std::integral_constant<std::size_t, 1>(), r);
  }
}

#endif

/// Adds so many values, from `first` on, to the sums of some rows in two vectors of columns: those
/// of values with even and with odd numbers.
template <StoredAs As, std::size_t Rows, std::size_t Vectors>
HWY_INLINE void add_values(const StoredRows& m, std::size_t first, std::size_t last,
                           std::size_t column, const float* weights, float* sums,
                           std::size_t row_of_sums) {
  const D d;
  V even[Rows][Vectors], odd[Rows][Vectors];
  const auto at = [&](std::size_t r, std::size_t v)
                      HWY_ATTR { return sums + r * 2 * row_of_sums + column + v * each; };
#pragma GCC unroll 4
  for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v) {
      even[r][v] = hn::LoadU(d, at(r, v));
      odd[r][v] = hn::LoadU(d, at(r, v) + row_of_sums);
    }
  const auto add = [&](std::size_t i, V(&to)[Rows][Vectors]) HWY_ATTR {
    const Elements<As> from = row_of<As>(m, i);
    V value[Vectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v)
      value[v] = elements<As>(from, column + v * each, m.columns - column - v * each);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < Rows; ++r) {
      const V w = hn::Set(d, weights[r * m.rows + i]);
#pragma GCC unroll 2
      for (std::size_t v = 0; v < Vectors; ++v) to[r][v] = hn::MulAdd(w, value[v], to[r][v]);
    }
  };
  std::size_t i = first;
  for (; i + 2 <= last; i += 2) {
    add(i, even);
    add(i + 1, odd);
  }
  if (i < last) add(i, even);
#pragma GCC unroll 4
  for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
    for (std::size_t v = 0; v < Vectors; ++v) {
      hn::StoreU(even[r][v], d, at(r, v));
      hn::StoreU(odd[r][v], d, at(r, v) + row_of_sums);
    }
}

template <StoredAs As>
void sum_all(const StoredRows& m, const float* weights, std::size_t count, float* y,
             float* scratch) {
  constexpr std::size_t near = 64;  // values that stay in L1 for all rows; an even number
  const std::size_t stride = (m.columns + each - 1) / each * each;
  std::fill_n(scratch, 2 * count * stride, 0.f);
  for (std::size_t first = 0; first < m.rows; first += near) {
    const std::size_t last = std::min(first + near, m.rows);
    const auto columns = [&]<std::size_t Rows>(std::integral_constant<std::size_t, Rows>,
                                               std::size_t r) HWY_ATTR {
      const float* w = weights + r * m.rows;
      float* sums = scratch + r * 2 * stride;
      std::size_t c = 0;
      for (; c + 2 * each <= stride; c += 2 * each)
        add_values<As, Rows, 2>(m, first, last, c, w, sums, stride);
      if (c < stride) add_values<As, Rows, 1>(m, first, last, c, w, sums, stride);
    };
    std::size_t r = 0;
    for (; r + rows_together <= count; r += rows_together)
      columns(std::integral_constant<std::size_t, rows_together>(), r);
    const std::size_t left = count - r;
    if (rows_together > 2 && left == 3) columns(std::integral_constant<std::size_t, 3>(), r);
    else if (rows_together > 2 && left == 2) columns(std::integral_constant<std::size_t, 2>(), r);
    else if (left == 1) columns(std::integral_constant<std::size_t, 1>(), r);
  }
  const D d;
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t c = 0; c < m.columns; c += each) {
      const float* even = scratch + r * 2 * stride + c;
      const V sum = hn::Add(hn::LoadU(d, even), hn::LoadU(d, even + stride));
      store_some(with_one_nan(sum), y + r * m.columns + c,
                 static_cast<int>(std::min(each, m.columns - c)));
    }
}

template <StoredAs As> void load(const StoredRows& m, float* to) {
  for (std::size_t i = 0; i < m.rows; ++i, to += m.columns)
    for (std::size_t c = 0; c < m.columns; c += each)
      store_some(elements<As>(row_of<As>(m, i), c, m.columns - c), to + c,
                 static_cast<int>(std::min(each, m.columns - c)));
}

/// f with the way in which the rows lie.
template <class F> HWY_INLINE void with_type(const StoredRows& rows, F f) {
  switch (rows.as) {
    case StoredAs::float32: return f(std::integral_constant<StoredAs, StoredAs::float32>());
    case StoredAs::float16: return f(std::integral_constant<StoredAs, StoredAs::float16>());
    case StoredAs::bfloat16: return f(std::integral_constant<StoredAs, StoredAs::bfloat16>());
    case StoredAs::int8: return f(std::integral_constant<StoredAs, StoredAs::int8>());
  }
}
void keys_times(const StoredRows& keys, const float* queries, std::size_t count, float* scores) {
  with_type(keys, [&](auto as) HWY_ATTR { multiply<as()>(keys, queries, count, scores); });
}
void values_times(const StoredRows& values, const float* weights, std::size_t count, float* y,
                  float* scratch) {
  with_type(values, [&](auto as) HWY_ATTR { sum_all<as()>(values, weights, count, y, scratch); });
}
void rows_loaded(const StoredRows& rows, float* to) {
  with_type(rows, [&](auto as) HWY_ATTR { load<as()>(rows, to); });
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(keys_times);
HWY_EXPORT(values_times);
HWY_EXPORT(rows_loaded);
void multiply_keys(const StoredRows& keys, const float* queries, std::size_t count, float* scores) {
  HWY_DYNAMIC_DISPATCH(keys_times)(keys, queries, count, scores);
}
void sum_values(const StoredRows& values, const float* weights, std::size_t count, float* y,
                float* scratch) {
  HWY_DYNAMIC_DISPATCH(values_times)(values, weights, count, y, scratch);
}
void load_rows(const StoredRows& rows, float* to) { HWY_DYNAMIC_DISPATCH(rows_loaded)(rows, to); }
}  // namespace webnn::inline v0_1::simd
#endif
