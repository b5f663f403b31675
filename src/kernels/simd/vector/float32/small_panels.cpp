#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/float32/small_panels.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>

#include "src/kernels/simd/vector/float32/panel_sums-inl.h"
#include "src/kernels/simd/vector/float32/small_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

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
  for_weights<Type, Vectors, Zeros>(p, terms, [&](std::size_t k, int which, int c, V w) HWY_ATTR {
    part[which][c] = hn::MulAdd(hn::Set(d, x[k]), w, part[which][c]);
  });
  if constexpr (Type == SmallType::float16 || Type == SmallType::bfloat16) {
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

/// The same with weights that are rounded.
template <SmallType Type, int Vectors, bool Zeros>
HWY_INLINE void add_rounded_piece(const Piece<Vectors>& p, std::size_t terms, const float* x,
                                  V* sums) {
  const D d;
  V part[2][Vectors], scale[Vectors];
#pragma GCC unroll 4
  for (int c = 0; c < Vectors; ++c) {
    part[0][c] = sums[c];
    part[1][c] = hn::Zero(d);
    scale[c] = p.template scale<Type>(c);
  }
  for_weights<Type, Vectors, Zeros>(p, terms, [&](std::size_t k, int which, int c, V w) HWY_ATTR {
    w = rounded_to_float16(hn::Mul(w, scale[c]));
    part[which][c] = hn::MulAdd(hn::Set(d, x[k]), w, part[which][c]);
  });
#pragma GCC unroll 4
  for (int c = 0; c < Vectors; ++c) sums[c] = hn::Add(part[0][c], part[1][c]);
}

template <SmallType Type, int Vectors, bool Zeros, bool Rounds>
void row_of_panel(const SmallPanels& p, std::size_t block, const std::byte* at, const float* x,
                  V* sums) {
  const std::byte* const panel = at;
  at = first_piece<Vectors>(p, panel);
  for (std::size_t i = 0; i < p.pieces(block); ++i) {
    const std::size_t terms = p.terms(block, i);
    const Piece<Vectors> piece(p, panel, at);
    if constexpr (Rounds) add_rounded_piece<Type, Vectors, Zeros>(piece, terms, x, sums);
    else add_piece<Type, Vectors, Zeros>(piece, terms, x, sums);
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

template <SmallType Type, bool Zeros, bool Rounds>
void typed_row(const SmallProduct& g, const float* x, int first, int last, float* y,
               const float* residual) {
  const SmallPanels& w = g.weights;
  for_panels(g, w.layout, first, last, y, residual,
             [&]<int N>(std::integral_constant<int, N>, std::size_t b, int group, V* sums)
                 HWY_ATTR {
                   row_of_panel<Type, N, Zeros, Rounds>(w, b, w.bytes + w.offset(b, group),
                                                        x + b * w.layout.block, sums);
                 });
}

template <SmallType Type, bool Zeros> constexpr auto rows_of(const SmallPanels& p) {
  return p.rounds ? typed_row<Type, Zeros, true> : typed_row<Type, Zeros, false>;
}

void small_row(const SmallProduct& g, const float* x, int first, int last, float* y,
               const float* residual) {
  using enum SmallType;
  const SmallPanels& w = g.weights;
  const bool zeros = w.zeros || w.zero != 0;
  const auto run = [&] {
    switch (w.type) {
      case int4: return zeros ? rows_of<int4, true>(w) : rows_of<int4, false>(w);
      case int6: return rows_of<int6, true>(w);
      case int8: return zeros ? rows_of<int8, true>(w) : rows_of<int8, false>(w);
      case float16: return typed_row<float16, false, false>;
      case bfloat16: return typed_row<bfloat16, false, false>;
      default: return typed_row<float8e4m3, false, false>;
    }
  }();
  run(g, x, first, last, y, residual);
}

template <SmallType Type, int Vectors, bool Zeros, bool Rounds = false>
void expand(const SmallPanels& p, std::size_t block, const std::byte* at, float* to) {
  const D d;
  const std::byte* const panel = at;
  at = first_piece<Vectors>(p, panel);
  for (std::size_t i = 0; i < p.pieces(block); ++i) {
    const std::size_t terms = p.terms(block, i);
    const Piece<Vectors> piece(p, panel, at);
    V scale[Vectors];
#pragma GCC unroll 4
    for (int c = 0; c < Vectors; ++c) scale[c] = piece.template scale<Type>(c);
    for_weights<Type, Vectors, Zeros>(piece, terms, [&](std::size_t k, int, int c, V w) HWY_ATTR {
      if constexpr (Type != SmallType::float16 && Type != SmallType::bfloat16)
        w = hn::Mul(w, scale[c]);
      if constexpr (Rounds) w = rounded_to_float16(w);
      hn::StoreU(w, d, to + (k * Vectors + static_cast<std::size_t>(c)) * lane_step);
    });
    at += p.piece_bytes(terms) * Vectors * lane_step;
    to += terms * Vectors * lane_step;
  }
}

template <SmallType Type, int Vectors, bool Zeros> constexpr auto expansion(const SmallPanels& p) {
  return p.rounds ? expand<Type, Vectors, Zeros, true> : expand<Type, Vectors, Zeros>;
}

template <int Vectors>
void expand_vectors(const SmallPanels& p, std::size_t block, const std::byte* at, float* to) {
  using enum SmallType;
  const bool zeros = p.zeros || p.zero != 0;
  const auto run = [&] {
    switch (p.type) {
      case int4:
        return zeros ? expansion<int4, Vectors, true>(p) : expansion<int4, Vectors, false>(p);
      case int6: return expansion<int6, Vectors, true>(p);
      case int8:
        return zeros ? expansion<int8, Vectors, true>(p) : expansion<int8, Vectors, false>(p);
      case float16: return expand<float16, Vectors, false>;
      case bfloat16: return expand<bfloat16, Vectors, false>;
      default: return expand<float8e4m3, Vectors, false>;
    }
  }();
  run(p, block, at, to);
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
