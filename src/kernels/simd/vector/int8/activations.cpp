#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/activations.cpp"
#include "src/kernels/simd/vector/int8/activations.h"

#include "src/kernels/simd/vector/float32/epilogue.h"

#include <algorithm>
#include <type_traits>

#include <hwy/foreach_target.h>

#include "src/kernels/simd/vector/float32/panel_sums-inl.h"
#include "src/kernels/simd/vector/float32/six_bits-inl.h"
#include "src/kernels/simd/vector/int8/quantized_block-inl.h"
#include "src/kernels/simd/vector/int8/row_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4

bool multiplies_rows() { return true; }
bool is_native(Int8DotProduct d) {
  return HWY_TARGET <= HWY_AVX3_DL || (may_be_native && has_instruction(d));
}

/// Sums of products of units of weights with quads of terms: four bytes or two integers of 16 bits.
template <SmallType Type, bool Native> struct Words {
  static constexpr bool native = Native;
  static constexpr bool int4 = Type == SmallType::int4, int6 = Type == SmallType::int6;
  static constexpr bool wide = Type == SmallType::int8 && !Native;
  static constexpr int words = int6 ? 3 : 1;                     ///< of a unit
  static constexpr int quads = int6 ? 4 : int4 || wide ? 2 : 1;  ///< of a unit
  static constexpr std::int32_t offset = offset_of(Type, Native);
  /// Words after which sums of products of pairs may exceed 16 bits: 16 products are at most 16 *
  /// 15 * 127. 0: sums have 32 bits.
  static constexpr std::size_t narrow = int4 && !Native ? 4 : 0;
  static_assert(Native || !int6);

  /// The quad of a vector of columns, whose words lie `step` words apart.
  template <int Quad> static HWY_INLINE VI weights(const std::int32_t* at, std::size_t step) {
    const DI d;
    if constexpr (int6) {
      return six_bits_at(at, step, std::integral_constant<int, Quad>());
    } else if constexpr (int4) {
      const VI all = hn::Xor(hn::LoadU(d, at), hn::Set(d, static_cast<std::int32_t>(0x88888888u)));
      return hn::And(Quad == 0 ? all : hn::ShiftRight<4>(all), hn::Set(d, 0x0f0f0f0f));
    } else if constexpr (wide) {
      const VS pairs = hn::BitCast(DS(), hn::LoadU(d, at));
      return hn::BitCast(d, hn::ShiftRight<8>(Quad == 0 ? hn::ShiftLeft<8>(pairs) : pairs));
    } else {
      return hn::Xor(hn::LoadU(d, at), hn::Set(d, static_cast<std::int32_t>(0x80808080u)));
    }
  }
  static HWY_INLINE VI add(VI sum, VI w, VI x) {
    if constexpr (Native) return dot<true>(sum, w, x);
    else if constexpr (wide) return add_products(sum, w, x);
    else return add_pairs(sum, w, x);
  }
  /// A quad of terms; where it lies, if no register is left and the instruction reads it there.
#if HWY_TARGET <= HWY_AVX3
  struct Bytes {
    char bytes[4];
  };
  template <bool InMemory> using Terms = std::conditional_t<InMemory && Native, const Bytes*, VI>;
  static HWY_INLINE VI add(VI sum, VI w, const Bytes* x) {
    asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sum.raw) : "v"(w.raw), "m"(*x));
    return sum;
  }
#else
  template <bool InMemory> using Terms = VI;
#endif
  template <bool InMemory> static HWY_INLINE Terms<InMemory> terms(const std::byte* x) {
    if constexpr (std::is_pointer_v<Terms<InMemory>>) {
      return reinterpret_cast<Terms<InMemory>>(x);
    } else {
      std::int32_t quad;
      std::memcpy(&quad, x, sizeof quad);
      return hn::Set(DI(), quad);
    }
  }
};

/// Adds the products of `count` words, as they are packed or as their quads.
template <class W, bool Packed, int Rows, int Vectors>
HWY_INLINE void add_words(const std::byte* w, const std::byte* x, std::size_t x_stride,
                          std::size_t count, VI (&sum)[Rows][Vectors]) {
  const DI d;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  constexpr std::size_t step = (Packed ? W::words : W::quads) * Vectors * vector_bytes;
  VI acc[Rows][Vectors];  // in registers
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < Vectors; ++c) acc[r][c] = sum[r][c];
  for (; count > 0; --count, w += step, x += 4 * W::quads) {
    if constexpr (Packed) {  // by itself, the processor stops at the end of each page
      constexpr std::size_t prefetched = 2048;
      __builtin_prefetch(w + prefetched);
      __builtin_prefetch(w + prefetched + step / 2);
      if constexpr (W::words == 3 || Rows > 1) {
        __builtin_prefetch(w + prefetched + step / 4);
        __builtin_prefetch(w + prefetched + step / 4 * 3);
      }
    }
    const auto quad = [&]<int Q>(std::integral_constant<int, Q>) HWY_ATTR {
      VI v[Vectors];
#pragma GCC unroll 4
      for (std::size_t c = 0; c < Vectors; ++c)
        if constexpr (Packed)
          v[c] = W::template weights<Q>(as_ints(w) + c * lanes, Vectors * lanes);
        else v[c] = hn::LoadU(d, as_ints(w) + (Q * Vectors + c) * lanes);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        constexpr bool in_memory = Packed;
        const auto a =
            W::template terms<in_memory>(x + static_cast<std::size_t>(r) * x_stride + 4 * Q);
#pragma GCC unroll 4
        for (int c = 0; c < Vectors; ++c) acc[r][c] = W::add(acc[r][c], v[c], a);
      }
    };
    quad(std::integral_constant<int, 0>());
    if constexpr (W::quads >= 2) quad(std::integral_constant<int, 1>());
    if constexpr (W::quads == 4) {
      quad(std::integral_constant<int, 2>());
      quad(std::integral_constant<int, 3>());
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (int c = 0; c < Vectors; ++c) sum[r][c] = acc[r][c];
}

/// The sums of a piece, of 32 bits, which begin with `start`.
template <class W, bool Packed, int Rows, int Vectors>
HWY_INLINE void sum_piece(const std::byte* w, const std::byte* x, std::size_t x_stride,
                          std::size_t words, const VI (&start)[Rows], VI (&sum)[Rows][Vectors]) {
  const DI d;
  const auto clear = [&](VI(&all)[Rows][Vectors]) HWY_ATTR {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < Vectors; ++c) all[r][c] = hn::Zero(d);
  };
  if constexpr (W::narrow) {
    clear(sum);
    const auto widened = [&](VI pairs, VI start) HWY_ATTR {
      VI unused = hn::Zero(d);
      return hn::ReorderWidenMulAccumulate(d, hn::BitCast(DS(), pairs), hn::Set(DS(), 1), start,
                                           unused);
    };
    std::size_t count = std::min(words, W::narrow);
    add_words<W, Packed>(w, x, x_stride, count, sum);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < Vectors; ++c) sum[r][c] = widened(sum[r][c], start[r]);
    while (HWY_UNLIKELY(words > count)) {
      words -= count;
      w += count * (Packed ? W::words : W::quads) * Vectors * vector_bytes;
      x += count * 4 * W::quads;
      count = std::min(words, W::narrow);
      VI pairs[Rows][Vectors];
      clear(pairs);
      add_words<W, Packed>(w, x, x_stride, count, pairs);
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
        for (int c = 0; c < Vectors; ++c) sum[r][c] = widened(pairs[r][c], sum[r][c]);
    }
  } else {
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
      for (int c = 0; c < Vectors; ++c) sum[r][c] = start[r];
    add_words<W, Packed>(w, x, x_stride, words, sum);
  }
}

template <class W, bool Packed, int Rows, int Vectors>
HWY_NOINLINE void multiply_block(const QuantizedBlock& b) {
  const D d;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const SmallPanels& p = b.weights;
  V sums[Rows][Vectors];
  load_sums<Rows, Vectors>(b.sums, sums);
  const std::byte *at = b.w + Vectors * lanes * p.head_bytes(), *quads = b.quads, *x = b.x,
                  *pieces = b.pieces;
  for (std::size_t i = 0; i < b.count; ++i, pieces += sizeof(QuantizedPiece)) {
    const std::size_t units = i + 1 < b.count ? b.units : b.last_units;
    const std::byte *const scales = at, *const zeros = at + Vectors * lanes * p.scale_bytes();
    at = zeros + (p.zeros ? Vectors * lanes : 0);
    const auto piece = [&](int r) HWY_ATTR -> const QuantizedPiece& {
      return *reinterpret_cast<const QuantizedPiece*>(pieces +
                                                      static_cast<std::size_t>(r) * b.stride);
    };
    VI start[Rows], sum[Rows][Vectors];
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r)
      start[r] = p.zeros ? hn::Zero(DI()) : hn::Set(DI(), -piece(r).sum);
    sum_piece<W, Packed>(Packed ? at : quads, x, b.stride, units, start, sum);
    at += units * W::words * Vectors * vector_bytes;
    quads += units * W::quads * Vectors * vector_bytes;
    x += units * 4 * W::quads;
    V scale[Vectors];
#pragma GCC unroll 4
    for (std::size_t c = 0; c < Vectors; ++c) scale[c] = scales_at(p.scale_form, b.w, scales, c);
      // Integers below 2^24 until the scales are multiplied.
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const V row_scale = hn::Set(d, piece(r).scale);
#pragma GCC unroll 4
      for (std::size_t c = 0; c < Vectors; ++c) {
        V v = hn::ConvertTo(d, sum[r][c]);
        if (p.zeros)
          v = hn::NegMulAdd(zeros_at<W>(zeros + c * lanes),
                            hn::ConvertTo(d, hn::Set(DI(), piece(r).sum)), v);
        sums[r][c] = hn::MulAdd(hn::Mul(v, row_scale), scale[c], sums[r][c]);
      }
    }
  }
  store_sums<Rows, Vectors>(b.sums, sums);
}

/// As many rows at once as registers hold, then the others.
template <class W, bool Packed, int Rows, int Vectors>
HWY_INLINE void multiply_rows(QuantizedBlock b, std::size_t rows) {
  for (; rows >= Rows; rows -= Rows) {
    multiply_block<W, Packed, Rows, Vectors>(b);
    b.sums = below(b.sums, Rows);
    b.x += Rows * b.stride;
    b.pieces += Rows * b.stride;
  }
  if constexpr (Rows > 1)
    if (rows > 0) multiply_rows<W, Packed, (Rows == 3 ? 2 : Rows / 2), Vectors>(b, rows);
}

/// The quads of a panel.
template <class W, int Vectors>
HWY_NOINLINE void put_quads(const QuantizedBlock& b, std::byte* to) {
  const DI d;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const SmallPanels& p = b.weights;
  const std::byte* at = b.w + Vectors * lanes * p.head_bytes();
  for (std::size_t i = 0; i < b.count; ++i) {
    at += Vectors * lanes * (p.scale_bytes() + p.zeros);
    const std::size_t units = i + 1 < b.count ? b.units : b.last_units;
    for (std::size_t k = 0; k < units; ++k, at += W::words * Vectors * vector_bytes) {
      const auto quad = [&]<int Q>(std::integral_constant<int, Q>) HWY_ATTR {
#pragma GCC unroll 4
        for (std::size_t c = 0; c < Vectors; ++c, to += vector_bytes)
          hn::StoreU(W::template weights<Q>(as_ints(at) + c * lanes, Vectors * lanes), d,
                     reinterpret_cast<std::int32_t*>(to));
      };
      quad(std::integral_constant<int, 0>());
      if constexpr (W::quads >= 2) quad(std::integral_constant<int, 1>());
      if constexpr (W::quads == 4) {
        quad(std::integral_constant<int, 2>());
        quad(std::integral_constant<int, 3>());
      }
    }
  }
}

/// All rows of a panel. Few read it as it is packed: it comes from memory while they are
/// multiplied, and to take it apart twice costs no more than to write its quads and to read them
/// twice. More read its quads. The integers of the sums of eight rows fill the registers that hold
/// no weights, and the floats are read and written once for each piece.
template <class W, int Vectors>
void multiply_panel_rows([[maybe_unused]] Int8DotProduct products, QuantizedBlock b,
                         std::size_t rows, std::byte* quads) {
  constexpr int few = vector_registers == 32 ? 8 : 3;
  if (rows <= 2 * few) return multiply_rows<W, true, few, Vectors>(b, rows);
  put_quads<W, Vectors>(b, quads);
  b.quads = quads;
#if WEBNN_HAS_ROW_TILES
  if constexpr (W::native)
    if (are_tiles(products)) return multiply_by_tiles<W, Vectors>(products, b, rows);
#endif
  multiply_rows<W, false, (vector_registers == 32 ? 4 : 3), Vectors>(b, rows);
}

template <SmallType Type, bool Native>
void multiply_groups(const SmallProduct& g, const QuantizedRow& row, const QuantizedRows& x,
                     int first, int last, float* y, const float* residual) {
  using W = Words<Type, Native>;
  const SmallPanels& p = g.weights;
  const PanelLayout& layout = p.layout;
  const std::size_t stride = row.stride, blocks = layout.blocks();
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t count = p.pieces(b), column_bytes = p.block_bytes(b);
    const std::byte* const panels = p.bytes + p.offset(b, 0);
    QuantizedBlock block{.weights = p,
                         .count = count,
                         .units = divide_up(p.terms(b, 0), p.terms_of_unit()),
                         .last_units = divide_up(p.terms(b, count - 1), p.terms_of_unit()),
                         .w = nullptr,
                         .quads = nullptr,
                         .x = x.data + row.offset(b),
                         .pieces = x.data + b * p.pieces(0) * sizeof(QuantizedPiece),
                         .stride = stride,
                         .sums = {}};
    for (int group = first; group < last; ++group) {
      block.w = panels + column_bytes * static_cast<std::size_t>(layout.first_column(group));
      block.sums = sums_of(g, layout, b, group, y, residual);
      switch (layout.group_vectors(group)) {
        case 3: multiply_panel_rows<W, 3>(row.products, block, x.count, x.scratch); break;
        case 2: multiply_panel_rows<W, 2>(row.products, block, x.count, x.scratch); break;
        default: multiply_panel_rows<W, 1>(row.products, block, x.count, x.scratch);
      }
    }
  }
  if (g.epilogue.clamps() || first >= last) return;
  const int begin = layout.first_column(first);
  const int end = last == layout.groups ? layout.columns : layout.first_column(last);
  simd::activate(g.epilogue, static_cast<int>(x.count), static_cast<std::size_t>(end - begin),
                 g.y_stride, y + begin);
}

void multiply_all(const SmallProduct& g, const QuantizedRow& row, const QuantizedRows& x, int first,
                  int last, float* y, const float* residual) {
  using enum SmallType;
  const bool four = g.weights.type == int4;
#if HWY_TARGET <= HWY_AVX2
  if (row.native)
    return (four ? multiply_groups<int4, true>
            : g.weights.type == int6
                ? multiply_groups<int6, true>
                : multiply_groups<int8, true>)(g, row, x, first, last, y, residual);
#endif
#if HWY_TARGET > HWY_AVX3_DL
  (four ? multiply_groups<int4, false> : multiply_groups<int8, false>)(g, row, x, first, last, y,
                                                                       residual);
#endif
}

#else

bool multiplies_rows() { return false; }
bool is_native(Int8DotProduct) { return false; }
// Not called.
void multiply_all(const SmallProduct&, const QuantizedRow&, const QuantizedRows&, int, int, float*,
                  const float*) {}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(multiplies_rows);
HWY_EXPORT(is_native);
HWY_EXPORT(multiply_all);

namespace {

constexpr std::size_t line = 64;  // bytes; more than any vector that is written beyond the end

/// Whether there are enough rows for tiles, and all pieces are whole steps of them.
bool are_faster_by_tiles(const SmallPanels& w, std::size_t rows) {
  constexpr std::size_t many_rows = 32, step = 64;
  return rows >= many_rows && w.piece % step == 0 && w.layout.k % step == 0;
}

}  // namespace

QuantizedRow::QuantizedRow(const SmallPanels& w, Int8DotProduct dot_product, std::size_t rows)
    : weights(w),
      native(has_native_products(dot_product)),
      products(native && are_faster_by_tiles(w, rows) ? dot_product : without_tiles(dot_product)) {
  const std::size_t last = w.layout.blocks() - 1;
  const auto bytes = [&](std::size_t block) {
    const std::size_t count = w.pieces(block);
    return (count - 1) * piece_bytes(w.piece) + piece_bytes(w.terms(block, count - 1));
  };
  pieces = last * w.pieces(0) + w.pieces(last);
  block_bytes = bytes(0);
  stride = round_up(offset(last) + bytes(last), line) + line;
}
std::size_t QuantizedRow::scratch() const {
  return block_bytes * to_size(3 * weights.layout.lanes);
}

bool has_native_products(Int8DotProduct d) { return HWY_DYNAMIC_DISPATCH(is_native)(d); }
bool has_quantized_rows() { return HWY_DYNAMIC_DISPATCH(multiplies_rows)(); }
void multiply_quantized_rows(const SmallProduct& g, const QuantizedRow& row, const QuantizedRows& x,
                             int first, int last, float* y, const float* residual) {
  HWY_DYNAMIC_DISPATCH(multiply_all)(g, row, x, first, last, y, residual);
}
}  // namespace webnn::inline v0_1::simd
#endif
