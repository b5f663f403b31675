#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/bfloat16/tiles.cpp"
#include "src/kernels/simd/vector/bfloat16/tiles.h"

#include <hwy/foreach_target.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/kernels/simd/vector/bfloat16/pairs-inl.h"
#include "src/kernels/simd/vector/float32/panel_sums-inl.h"
#include "src/kernels/simd/vector/tile_registers-inl.h"
#include "src/kernels/simd/vector/unrolled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#if !WEBNN_HAS_PAIRS

// Not called: bfloat16_products() says so.
void chunk_of_tiles(const PairProduct&, const PairChunk&, std::size_t, int, int) {}

#else

constexpr int sum_tiles = 6, x_tile = 6, w_tile = 7;
constexpr std::size_t sums_of_tile = 256;

#if HWY_ARCH_X86_64
struct Tiles : TileRegisters<w_tile> {
  template <int Sums> HWY_INLINE void multiply() {
    asm volatile("tdpbf16ps %%tmm7, %%tmm6, %%tmm%c0" : : "i"(Sums));
  }
};
#endif

/// The first and the second products of the pairs are summed by themselves, then these two sums,
/// then that and what was there.
class EmulatedTiles : public EmulatedTileRegisters<w_tile> {
 public:
  template <int Sums> void multiply() {
    for (int r = 0; r < rows(); ++r)
      for (int c = 0; c < 16; ++c) {
        float first = 0, second = 0;
        for (int k = 0; k < 16; ++k) {
          const std::uint32_t x = tile(x_tile)[r][k], w = tile(w_tile)[k][c];
          first = flushed_sum(x << 16, w << 16, first);
          second = flushed_sum(x & 0xffff0000u, w & 0xffff0000u, second);
        }
        std::uint32_t& bits = tile(Sums)[r][c];
        const float sum = plain(as_float(bits)) + plain(plain(first) + plain(second));
        bits = std::bit_cast<std::uint32_t>(plain(sum));
      }
  }

 private:
  static float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
  static float plain(float v) { return std::abs(v) < 0x1p-126f ? std::copysign(0.f, v) : v; }
  static float flushed_sum(std::uint32_t x, std::uint32_t w, float to) {
    return plain(std::fma(plain(as_float(x)), plain(as_float(w)), to));
  }
};

/// A block of rows: up to two tiles of them. The second one ends with the last row, so that both
/// have the same rows; one row may be in both.
struct TileBlock {
  const std::uint32_t *x, *w;
  std::size_t x_stride;
  PairTerms terms;
  PanelSums sums;
};

template <class AnyTiles, int Columns>
void tile_block(AnyTiles& tiles, const TileBlock& b, int rows) {
  constexpr auto n = static_cast<std::size_t>(vector_lanes);
  const bool two = rows > tile_rows;
  const int each = two ? (rows + 1) / 2 : rows, second = rows - each;
  alignas(64) float sums[sum_tiles * sums_of_tile];
  const auto at = [&](int tile, int row) {
    return sums + static_cast<std::size_t>(tile) * sums_of_tile + static_cast<std::size_t>(row) * n;
  };
  const auto for_rows = [&](auto f) HWY_ATTR {
    for (int t = 0; t < (two ? 2 : 1); ++t)
      for (int r = 0; r < each; ++r)
        f(t * Columns, r, below(b.sums, static_cast<std::size_t>(t ? second + r : r)));
  };
  for_rows([&](int tile, int r, const PanelSums& s) HWY_ATTR {
    V v[1][Columns];
    load_sums<1, Columns>(s, v);
    for (int c = 0; c < Columns; ++c) hn::Store(v[0][c], D(), at(tile + c, r));
  });
  tiles.begin(each);
  unrolled<Columns>([&](auto c) WEBNN_UNROLLED {
    tiles.template load<c>(at(c, 0), 64);
    if (two) tiles.template load<Columns + c>(at(Columns + c, 0), 64);
  });
  const std::uint32_t* w = b.w;
  const std::size_t stride = b.x_stride * sizeof(std::uint32_t),
                    below_x = static_cast<std::size_t>(second) * b.x_stride;
  for (std::size_t s = 0; s < b.terms.segments; ++s)
    for (std::size_t k = 0; k < b.terms.each;
         k += pairs_of_step, w += pairs_of_step * Columns * n) {
      const std::uint32_t* x = b.x + s * b.terms.stride + k;
      unrolled<Columns>([&](auto c) WEBNN_UNROLLED {
        tiles.template load<w_tile>(w + std::size_t{c} * n, Columns * 64);
        tiles.template load<x_tile>(x, stride);
        tiles.template multiply<c>();
        if (!two) return;
        tiles.template load<x_tile>(x + below_x, stride);
        tiles.template multiply<Columns + c>();
      });
    }
  unrolled<Columns>([&](auto c) WEBNN_UNROLLED {
    tiles.template store<c>(at(c, 0), 64);
    if (two) tiles.template store<Columns + c>(at(Columns + c, 0), 64);
  });
  for_rows([&](int tile, int r, const PanelSums& s) HWY_ATTR {
    V v[1][Columns];
    for (int c = 0; c < Columns; ++c) v[0][c] = hn::Load(D(), at(tile + c, r));
    store_sums<1, Columns>(s, v);
  });
}

template <class AnyTiles, int Columns>
void tile_panel(AnyTiles& tiles, const PairProduct& g, const PairChunk& chunk, std::size_t kb,
                int group) {
  constexpr std::size_t most = 2 * tile_rows;
  const PanelLayout& p = g.layout;
  const PanelSums sums = sums_of(g, p, kb, group, chunk.y, chunk.residual);
  const bool activates = kb + 1 == p.blocks() && !g.epilogue.clamps();
  const auto width = static_cast<std::size_t>(std::min(sums.left, Columns * vector_lanes));
  for (const PairRun& run : chunk.runs) {
    const std::size_t blocks = (run.count + most - 1) / most;
    for (std::size_t i = 0; i < blocks; ++i) {
      const std::size_t r = run.count * i / blocks, rows = run.count * (i + 1) / blocks - r;
      const TileBlock b{run.x + r * chunk.stride, g.w + p.offset(kb, group), chunk.stride,
                        chunk.terms, below(sums, run.first + r)};
      tile_block<AnyTiles, Columns>(tiles, b, static_cast<int>(rows));
      if (activates) activate(g.epilogue, static_cast<int>(rows), width, b.sums.y_stride, b.sums.y);
    }
  }
}

template <class AnyTiles>
void all_tile_panels(const PairProduct& g, const PairChunk& chunk, std::size_t kb, int first,
                     int last) {
  AnyTiles tiles;
  for (int group = first; group < last; ++group) switch (g.layout.group_vectors(group)) {
      case 3: tile_panel<AnyTiles, 3>(tiles, g, chunk, kb, group); break;
      case 2: tile_panel<AnyTiles, 2>(tiles, g, chunk, kb, group); break;
      default: tile_panel<AnyTiles, 1>(tiles, g, chunk, kb, group);
    }
  tiles.end();
}

void chunk_of_tiles(const PairProduct& g, const PairChunk& chunk, std::size_t kb, int first,
                    int last) {
#if HWY_ARCH_X86_64
  if (g.products == Bfloat16Products::tiles)
    return all_tile_panels<Tiles>(g, chunk, kb, first, last);
#endif
  all_tile_panels<EmulatedTiles>(g, chunk, kb, first, last);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(chunk_of_tiles);

void multiply_tile_chunk(const PairProduct& g, const PairChunk& chunk, std::size_t block, int first,
                         int last) {
  HWY_DYNAMIC_DISPATCH(chunk_of_tiles)(g, chunk, block, first, last);
}

}  // namespace webnn::inline v0_1::simd
#endif
