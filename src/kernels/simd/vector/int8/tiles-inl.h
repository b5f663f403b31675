// Products of bytes by tiles of AMX (tiles.h), whatever becomes of the sums. One copy per target.
#if defined(WEBNN_SIMD_INT8_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_INT8_TILES_INL_H
#undef WEBNN_SIMD_INT8_TILES_INL_H
#else
#define WEBNN_SIMD_INT8_TILES_INL_H
#endif
#include <algorithm>
#include <cstring>

#include "src/kernels/simd/vector/int8/gemm.h"
#include "src/kernels/simd/vector/int8/integers-inl.h"
#include "src/kernels/simd/vector/tile_registers-inl.h"
#include "src/kernels/simd/vector/unrolled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#undef WEBNN_HAS_INT8_TILES
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define WEBNN_HAS_INT8_TILES 1
#else
#define WEBNN_HAS_INT8_TILES 0
#endif

#if WEBNN_HAS_INT8_TILES

static_assert(vector_bytes == 64);
/// Sums are in the first tiles: two of rows times two of columns.
constexpr int x_tiles = 4, w_tiles = 6;
constexpr std::size_t quads_of_step = 16, step_bytes = 64, rows_of_block = 2 * tile_rows,
                      vectors_of_panel = 4;

#if HWY_ARCH_X86_64
struct ByteTiles : TileRegisters<w_tiles> {
  /// x unsigned, w signed.
  template <int Sums, int X, int W> HWY_INLINE void multiply() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sums), "i"(X), "i"(W));
  }
};
#endif
struct EmulatedByteTiles : EmulatedTileRegisters<w_tiles> {
  template <int Sums, int X, int W> void multiply() {
    for (int r = 0; r < rows(); ++r)
      for (int c = 0; c < 16; ++c)
        for (int k = 0; k < 16; ++k)
          for (int shift = 0; shift < 32; shift += 8) {
            const auto x = static_cast<std::uint8_t>(tile(X)[r][k] >> shift);
            const auto w = static_cast<std::int8_t>(tile(W)[k][c] >> shift);
            tile(Sums)[r][c] += static_cast<std::uint32_t>(std::int32_t{x} * w);
          }
  }
};

/// The quads of a row of x, with zeros in the last one of each segment, and a step of zeros behind
/// all. Returns the sum of the bytes if it is asked for.
template <bool Sums>
HWY_INLINE std::int32_t stage_row(const Int8Gemm& g, const std::uint8_t* from, std::uint8_t* to) {
  const DB d;
  const VB flip = hn::Set(d, g.flip);
  const DI di;
  const VI ones = hn::Set(di, 0x01010101);
  VI total = hn::Zero(di);
  const auto put = [&](VB v, std::size_t i) HWY_ATTR {
    hn::StoreU(v, d, to + i);
    if constexpr (Sums) total = dot<false>(total, hn::BitCast(di, v), ones);
  };
  for (std::size_t s = 0; s < g.segments; ++s) {
    const std::uint8_t* const x = from + g.offsets[s];
    std::size_t i = 0;
    for (; i + vector_bytes <= g.k; i += vector_bytes) put(hn::Xor(hn::LoadU(d, x + i), flip), i);
    if (i < g.k) {
      const auto some = hn::FirstN(d, g.k - i);
      put(hn::IfThenElseZero(some, hn::Xor(hn::MaskedLoad(some, d, x + i), flip)), i);
    }
    to += (g.k + 3) / 4 * 4;
  }
  hn::StoreU(hn::Zero(d), d, to);
  if constexpr (!Sums) return 0;
  HWY_ALIGN std::int32_t all[vector_lanes];
  hn::Store(total, di, all);
  std::int32_t sum = 0;
  for (const std::int32_t v : all) sum += v;
  return sum;
}

/// A block of staged rows, and a panel.
struct Int8TileBlock {
  const std::uint8_t* x;
  std::size_t pitch;
  const std::int8_t *w, *last;  ///< the panel; its last quads, if they are no whole step
  std::size_t steps, vectors;   ///< whole steps; vectors of columns
  std::int32_t* sums;           ///< [rows][vectors][16]
};

/// Up to two tiles of rows times a vector of columns or two. The second tile ends with the last
/// row, so that both have the same rows; one row may be in both.
template <class AnyTiles, int Columns>
HWY_NOINLINE void tile_columns(AnyTiles& tiles, const Int8TileBlock& b, std::size_t rows,
                               std::size_t column) {
  const bool two = rows > tile_rows;
  const std::size_t each = two ? (rows + 1) / 2 : rows, second = rows - each,
                    stride = b.vectors * vector_bytes;
  tiles.begin(static_cast<int>(each));
  tiles.template zero<0>();
  tiles.template zero<1>();
  tiles.template zero<2>();
  tiles.template zero<3>();
  const auto add_step = [&](const std::uint8_t* x, const std::int8_t* w) HWY_ATTR {
    tiles.template load<w_tiles>(w, stride);
    tiles.template load<x_tiles>(x, b.pitch);
    tiles.template multiply<0, x_tiles, w_tiles>();
    if constexpr (Columns == 2) {
      tiles.template load<w_tiles + 1>(w + vector_bytes, stride);
      tiles.template multiply<1, x_tiles, w_tiles + 1>();
    }
    if (!two) return;
    tiles.template load<x_tiles + 1>(x + second * b.pitch, b.pitch);
    tiles.template multiply<2, x_tiles + 1, w_tiles>();
    if constexpr (Columns == 2) tiles.template multiply<3, x_tiles + 1, w_tiles + 1>();
  };
  for (std::size_t s = 0; s < b.steps; ++s)
    add_step(b.x + s * step_bytes, b.w + s * quads_of_step * stride + column * vector_bytes);
  if (b.last) add_step(b.x + b.steps * step_bytes, b.last + column * vector_bytes);
  std::int32_t* const to = b.sums + column * vector_lanes;
  std::int32_t* const below = to + second * b.vectors * vector_lanes;
  tiles.template store<0>(to, stride);
  if constexpr (Columns == 2) tiles.template store<1>(to + vector_lanes, stride);
  if (!two) return;
  tiles.template store<2>(below, stride);
  if constexpr (Columns == 2) tiles.template store<3>(below + vector_lanes, stride);
}

/// What `Result` makes of sums of x and w alone (gemm-inl.h).
template <class Result, int Rows, int Columns>
HWY_INLINE void store_tile_rows(const Int8Gemm& g, const std::int32_t* sums,
                                const std::int32_t* totals, std::size_t row, std::size_t first,
                                typename Result::Element* HWY_RESTRICT y) {
  const DI d;
  const Result result(g);
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  VI sum[Rows][Columns];
  unrolled<Columns>([&](auto c) WEBNN_UNROLLED {
    const std::size_t at = first + std::size_t{c} * lanes;
    const VI bias = result.start(hn::LoadU(d, g.bias + at));
    const VI zero = g.w_zero ? hn::LoadU(d, g.w_zero + at) : hn::Zero(d);
    unrolled<Rows>([&](auto r) WEBNN_UNROLLED {
      const VI v = hn::Add(bias, hn::LoadU(d, sums + (std::size_t{r} * Columns + c) * lanes));
      sum[r][c] = g.w_zero ? hn::Sub(v, hn::Mul(hn::Set(d, totals[r]), zero)) : v;
    });
  });
  result.template store<Rows, Columns>(sum, row, first, y);
}
template <class Result, int Columns>
HWY_NOINLINE void store_tile_sums(const Int8Gemm& g, const std::int32_t* sums,
                                  const std::int32_t* totals, std::size_t row, std::size_t rows,
                                  std::size_t first, typename Result::Element* y) {
  constexpr std::size_t some = 4, pitch = Columns * static_cast<std::size_t>(vector_lanes);
  std::size_t r = 0;
  for (; r + some <= rows; r += some)
    store_tile_rows<Result, some, Columns>(g, sums + r * pitch, totals + r, row + r, first, y);
  for (; r < rows; ++r)
    store_tile_rows<Result, 1, Columns>(g, sums + r * pitch, totals + r, row + r, first, y);
}

/// Staged rows times a panel whose first column is `first`.
template <class Result, class AnyTiles, int Columns>
void tile_panel(AnyTiles& tiles, const Int8Gemm& g, Int8TileBlock b, const std::int32_t* totals,
                std::size_t row, std::size_t rows, std::size_t first, typename Result::Element* y) {
  const std::size_t blocks = (rows + rows_of_block - 1) / rows_of_block;
  const std::uint8_t* const x = b.x;
  b.vectors = Columns;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t begin = rows * i / blocks, count = rows * (i + 1) / blocks - begin;
    b.x = x + begin * b.pitch;
    tile_columns<AnyTiles, (Columns > 1 ? 2 : 1)>(tiles, b, count, 0);
    if constexpr (Columns > 2) tile_columns<AnyTiles, Columns - 2>(tiles, b, count, 2);
    store_tile_sums<Result, Columns>(g, b.sums, totals + begin, row + begin, count, first, y);
  }
}

/// As all_panels().
template <class Result, class AnyTiles>
void tile_panels_with(AnyTiles& tiles, const Int8Gemm& g, std::size_t rows, int first_panel,
                      int last_panel, const std::uint8_t* x, typename Result::Element* y) {
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  constexpr std::size_t panel_step = vectors_of_panel * vector_bytes;  // bytes of a quad of a panel
  alignas(64) std::int32_t sums[rows_of_block * vectors_of_panel * lanes];
  alignas(64) std::int8_t last[quads_of_step * panel_step];
  const std::size_t vectors = (static_cast<std::size_t>(g.columns) + lanes - 1) / lanes,
                    quads = g.quads(), rest = quads % quads_of_step, pitch = g.staged.pitch();
  if (rest > 0) std::memset(last, 0, sizeof last);
  auto* const staged = reinterpret_cast<std::uint8_t*>(
      (reinterpret_cast<std::uintptr_t>(g.tile_scratch) + 63) / 64 * 64);
  auto* const totals = reinterpret_cast<std::int32_t*>(staged + g.staged.rows * pitch);
  Int8TileBlock b{.x = staged,
                  .pitch = pitch,
                  .w = nullptr,
                  .last = rest > 0 ? last : nullptr,
                  .steps = quads / quads_of_step,
                  .vectors = 0,
                  .sums = sums};
  const std::size_t chunks = (rows + g.staged.rows - 1) / g.staged.rows;
  for (std::size_t i = 0; i < chunks; ++i) {
    const std::size_t row = rows * i / chunks, count = rows * (i + 1) / chunks - row;
    for (std::size_t r = 0; r < count; ++r) {
      const std::uint8_t* const from = x + g.row_at(row + r);
      if (g.w_zero) totals[r] = stage_row<true>(g, from, staged + r * pitch);
      else stage_row<false>(g, from, staged + r * pitch);
    }
    for (auto p = static_cast<std::size_t>(first_panel); p < static_cast<std::size_t>(last_panel);
         ++p) {
      const std::size_t first = p * vectors_of_panel * lanes,
                        wide = std::min(vectors_of_panel, vectors - p * vectors_of_panel);
      b.w = g.w + p * panel_step * quads;
      std::memcpy(last, b.w + b.steps * quads_of_step * wide * vector_bytes,
                  rest * wide * vector_bytes);
      const auto multiply = [&]<int Columns>(std::integral_constant<int, Columns>) HWY_ATTR {
        tile_panel<Result, AnyTiles, Columns>(tiles, g, b, totals, row, count, first, y);
      };
      switch (wide) {
        case 1: multiply(std::integral_constant<int, 1>()); break;
        case 2: multiply(std::integral_constant<int, 2>()); break;
        case 3: multiply(std::integral_constant<int, 3>()); break;
        default: multiply(std::integral_constant<int, 4>());
      }
    }
  }
  tiles.end();
}

template <class Result>
void tile_panels(const Int8Gemm& g, std::size_t rows, int first, int last, const std::uint8_t* x,
                 typename Result::Element* y) {
#if HWY_ARCH_X86_64
  if (g.dot_product == Int8DotProduct::tiles) {
    ByteTiles tiles;
    return tile_panels_with<Result>(tiles, g, rows, first, last, x, y);
  }
#endif
  EmulatedByteTiles tiles;
  tile_panels_with<Result>(tiles, g, rows, first, last, x, y);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
