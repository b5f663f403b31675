#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/small_panels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "src/kernels/simd/vector/float32/panel_sums-inl.h"
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

/// Where the parts of a piece of a panel of that many vectors lie.
template <int Vectors> struct Piece {
  const std::byte *head = nullptr, *scales = nullptr, *zeros = nullptr, *weights = nullptr;
  ScaleForm form = ScaleForm::float32;
  int zero = 0;

  /// `panel`: where the panel begins.
  Piece(const SmallPanels& p, const std::byte* panel, const std::byte* at)
      : head(panel), form(p.scale_form), zero(p.zero) {
    constexpr std::size_t columns = Vectors * lane_step;
    if (p.scaled()) {
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
/// second term of a word, else 0. Integers are divided by scale_factor(Type).
template <SmallType Type, int Vectors, bool Zeros, class F>
HWY_INLINE void for_weights(const Piece<Vectors>& p, std::size_t terms, F f) {
  const D d;
  const std::byte* w = p.weights;
  if constexpr (Type == SmallType::float16) {
    constexpr std::size_t step = Vectors * lane_step * sizeof(hwy::float16_t);
    for (std::size_t k = 0; k < terms; ++k, w += step) {
      __builtin_prefetch(w + prefetched);
#pragma GCC unroll 4
      for (int c = 0; c < Vectors; ++c) f(k, 0, c, floats_of_float16(w + 2 * c * lane_step));
    }
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

/// Adds the products with weights that are scaled one by one.
template <SmallType Type, int Vectors, bool Zeros>
HWY_NOINLINE void add_scaled_piece(const Piece<Vectors>& p, std::size_t terms, const float* x,
                                   V* sums) {
  const D d;
  for_weights<Type, Vectors, Zeros>(p, terms, [&](std::size_t k, int, int c, V w) HWY_ATTR {
    w = hn::Mul(w, p.template scale<Type>(c));
    sums[c] = hn::MulAdd(hn::Set(d, x[k]), w, sums[c]);
  });
}

/// Adds a piece to the sums: several partial sums hide the latency of additions. The scale is
/// multiplied last, unless the sum of the integers' products overflows.
template <SmallType Type, int Vectors, bool Zeros>
HWY_INLINE void add_piece(const Piece<Vectors>& p, std::size_t terms, const float* x, V* sums) {
  const D d;
  V part[2][Vectors];
#pragma GCC unroll 4
  for (int c = 0; c < Vectors; ++c) part[0][c] = part[1][c] = hn::Zero(d);
  if constexpr (Type == SmallType::float16) {
    const std::size_t half = terms / 2;
    Piece<Vectors> second = p;
    second.weights += half * Vectors * lane_step * sizeof(hwy::float16_t);
    for_weights<Type, Vectors, Zeros>(p, half, [&](std::size_t k, int, int c, V w) HWY_ATTR {
      part[0][c] = hn::MulAdd(hn::Set(d, x[k]), w, part[0][c]);
    });
    for_weights<Type, Vectors, Zeros>(
        second, terms - half, [&](std::size_t k, int, int c, V w) HWY_ATTR {
          part[1][c] = hn::MulAdd(hn::Set(d, x[half + k]), w, part[1][c]);
        });
  } else {
    for_weights<Type, Vectors, Zeros>(p, terms, [&](std::size_t k, int which, int c, V w) HWY_ATTR {
      part[which][c] = hn::MulAdd(hn::Set(d, x[k]), w, part[which][c]);
    });
  }
  if constexpr (Type == SmallType::float16) {
#pragma GCC unroll 4
    for (int c = 0; c < Vectors; ++c) sums[c] = hn::Add(sums[c], hn::Add(part[0][c], part[1][c]));
  } else {
    V largest = hn::Zero(d);  // NaN or infinite if a sum is
#pragma GCC unroll 4
    for (int c = 0; c < Vectors; ++c) {
      part[0][c] = hn::Add(part[0][c], part[1][c]);
      largest = hn::MulAdd(part[0][c], hn::Zero(d), largest);
    }
    if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Eq(largest, hn::Zero(d)))))
      return add_scaled_piece<Type, Vectors, Zeros>(p, terms, x, sums);
#pragma GCC unroll 4
    for (int c = 0; c < Vectors; ++c)
      sums[c] = hn::MulAdd(part[0][c], p.template scale<Type>(c), sums[c]);
  }
}

template <SmallType Type, int Vectors, bool Zeros>
void row_of_panel(const SmallPanels& p, std::size_t block, const std::byte* at, const float* x,
                  V* sums) {
  const std::byte* const panel = at;
  at = first_piece<Vectors>(p, panel);
  for (std::size_t i = 0; i < p.pieces(block); ++i) {
    const std::size_t terms = p.terms(block, i);
    add_piece<Type, Vectors, Zeros>(Piece<Vectors>(p, panel, at), terms, x, sums);
    at += p.piece_bytes(terms) * Vectors * lane_step;
    x += terms;
  }
}

template <int Vectors>
void float_row_of_panel(const float* w, std::size_t terms, const float* x, V* sums) {
  const D d;
  V part[3][Vectors];
#pragma GCC unroll 4
  for (int c = 0; c < Vectors; ++c) part[0][c] = part[1][c] = part[2][c] = hn::Zero(d);
  const auto add = [&](V* to, std::size_t k) HWY_ATTR {
    const V a = hn::Set(d, x[k]);
    const float* from = w + k * Vectors * lane_step;
#pragma GCC unroll 4
    for (int c = 0; c < Vectors; ++c)
      to[c] = hn::MulAdd(a, hn::LoadU(d, from + c * lane_step), to[c]);
  };
  std::size_t k = 0;
  for (; k + 4 <= terms; k += 4) {
    add(sums, k);
    add(part[0], k + 1);
    add(part[1], k + 2);
    add(part[2], k + 3);
  }
  for (; k < terms; ++k) add(sums, k);
#pragma GCC unroll 4
  for (int c = 0; c < Vectors; ++c)
    sums[c] = hn::Add(hn::Add(sums[c], part[0][c]), hn::Add(part[1][c], part[2][c]));
}

/// panel(group, block, sums) for the panels of the groups, block by block.
template <class Product, class Panel>
HWY_INLINE void for_panels(const Product& g, const PanelLayout& p, int first, int last, float* y,
                           const float* residual, Panel panel) {
  for (std::size_t b = 0; b < p.blocks(); ++b)
    for (int group = first; group < last; ++group) {
      const PanelSums s = sums_of(g, p, b, group, y, residual);
      const auto with = [&]<int N>(std::integral_constant<int, N> n) HWY_ATTR {
        V sums[1][N];
        load_sums<1, N>(s, sums);
        panel(n, b, group, sums[0]);
        store_sums<1, N>(s, sums);
      };
      if (p.group_vectors(group) == 3) with(std::integral_constant<int, 3>());
      else if (p.group_vectors(group) == 2) with(std::integral_constant<int, 2>());
      else with(std::integral_constant<int, 1>());
    }
  if (g.epilogue.clamps() || first >= last) return;
  const int begin = p.first_column(first);
  const int end = last == p.groups ? p.columns : p.first_column(last);
  activate(g.epilogue, 1, static_cast<std::size_t>(end - begin), 0, y + begin);
}

void float_row(const PanelProduct& g, const float* x, int first, int last, float* y,
               const float* residual) {
  const PanelLayout& p = g.layout;
  for_panels(
      g, p, first, last, y, residual,
      [&]<int N>(std::integral_constant<int, N>, std::size_t b, int group, V* sums) HWY_ATTR {
        float_row_of_panel<N>(g.w + p.offset(b, group), p.block_size(b), x + b * p.block, sums);
      });
}

template <SmallType Type, bool Zeros>
void typed_row(const SmallProduct& g, const float* x, int first, int last, float* y,
               const float* residual) {
  const SmallPanels& w = g.weights;
  for_panels(g, w.layout, first, last, y, residual,
             [&]<int N>(std::integral_constant<int, N>, std::size_t b, int group, V* sums)
                 HWY_ATTR {
                   row_of_panel<Type, N, Zeros>(w, b, w.bytes + w.offset(b, group),
                                                x + b * w.layout.block, sums);
                 });
}

void small_row(const SmallProduct& g, const float* x, int first, int last, float* y,
               const float* residual) {
  using enum SmallType;
  const bool zeros = g.weights.zeros || g.weights.zero != 0;
  switch (g.weights.type) {
    case int4:
      return (zeros ? typed_row<int4, true> : typed_row<int4, false>)(g, x, first, last, y,
                                                                      residual);
    case int6: return typed_row<int6, true>(g, x, first, last, y, residual);
    case int8:
      return (zeros ? typed_row<int8, true> : typed_row<int8, false>)(g, x, first, last, y,
                                                                      residual);
    case float16: return typed_row<float16, false>(g, x, first, last, y, residual);
  }
}

template <SmallType Type, int Vectors, bool Zeros>
void expand(const SmallPanels& p, std::size_t block, const std::byte* at, float* to) {
  const D d;
  const std::byte* const panel = at;
  at = first_piece<Vectors>(p, panel);
  for (std::size_t i = 0; i < p.pieces(block); ++i) {
    const std::size_t terms = p.terms(block, i);
    const Piece<Vectors> piece(p, panel, at);
    V scale[Vectors];
#pragma GCC unroll 4
    for (int c = 0; c < Vectors; ++c)
      scale[c] = piece.scales ? piece.template scale<Type>(c) : hn::Set(d, 1);
    for_weights<Type, Vectors, Zeros>(piece, terms, [&](std::size_t k, int, int c, V w) HWY_ATTR {
      hn::StoreU(Type == SmallType::float16 ? w : hn::Mul(w, scale[c]), d,
                 to + (k * Vectors + static_cast<std::size_t>(c)) * lane_step);
    });
    at += p.piece_bytes(terms) * Vectors * lane_step;
    to += terms * Vectors * lane_step;
  }
}

template <int Vectors>
void expand_vectors(const SmallPanels& p, std::size_t block, const std::byte* at, float* to) {
  using enum SmallType;
  const bool zeros = p.zeros || p.zero != 0;
  switch (p.type) {
    case int4:
      return (zeros ? expand<int4, Vectors, true> : expand<int4, Vectors, false>)(p, block, at, to);
    case int6: return expand<int6, Vectors, true>(p, block, at, to);
    case int8:
      return (zeros ? expand<int8, Vectors, true> : expand<int8, Vectors, false>)(p, block, at, to);
    case float16: return expand<float16, Vectors, false>(p, block, at, to);
  }
}

void expand_group(const SmallPanels& p, std::size_t block, int group, float* to) {
  const std::byte* at = p.bytes + p.offset(block, group);
  switch (p.layout.group_vectors(group)) {
    case 3: return expand_vectors<3>(p, block, at, to);
    case 2: return expand_vectors<2>(p, block, at, to);
    default: return expand_vectors<1>(p, block, at, to);
  }
}

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(float_row);
HWY_EXPORT(small_row);
HWY_EXPORT(expand_group);

std::size_t SmallPanels::block_bytes(std::size_t block) const {
  const std::size_t count = pieces(block);
  return head_bytes() + (count - 1) * piece_bytes(piece) + piece_bytes(terms(block, count - 1));
}

void multiply_row(const PanelProduct& g, const float* x, int first, int last, float* y,
                  const float* residual) {
  HWY_DYNAMIC_DISPATCH(float_row)(g, x, first, last, y, residual);
}
void multiply_small_row(const SmallProduct& g, const float* x, int first, int last, float* y,
                        const float* residual) {
  HWY_DYNAMIC_DISPATCH(small_row)(g, x, first, last, y, residual);
}
void expand_panel(const SmallPanels& p, std::size_t block, int group, float* to) {
  HWY_DYNAMIC_DISPATCH(expand_group)(p, block, group, to);
}
}  // namespace webnn::inline v0_1::simd
#endif
