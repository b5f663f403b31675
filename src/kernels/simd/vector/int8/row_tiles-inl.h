// Quantized rows times quads of small weights by tiles of AMX: the sums, and so the results, of the
// kernels without tiles. One copy per target.
#if defined(WEBNN_SIMD_ROW_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_ROW_TILES_INL_H
#undef WEBNN_SIMD_ROW_TILES_INL_H
#else
#define WEBNN_SIMD_ROW_TILES_INL_H
#endif
#include "src/kernels/simd/vector/int8/quantized_block-inl.h"
#include "src/kernels/simd/vector/tile_registers-inl.h"
#include "src/kernels/simd/vector/unrolled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

#undef WEBNN_HAS_ROW_TILES
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define WEBNN_HAS_ROW_TILES 1
#else
#define WEBNN_HAS_ROW_TILES 0
#endif

#if WEBNN_HAS_ROW_TILES

static_assert(vector_bytes == 64);
/// Two tiles of rows times three vectors of columns have sums.
constexpr int row_tile = 6, quad_tile = 7;

#if HWY_ARCH_X86_64
struct RowTiles : TileRegisters<quad_tile> {
  /// Rows signed, quads of weights unsigned.
  template <int Sums> HWY_INLINE void multiply() {
    asm volatile("tdpbsud %%tmm7, %%tmm6, %%tmm%c0" : : "i"(Sums));
  }
};
#endif
struct EmulatedRowTiles : EmulatedTileRegisters<quad_tile> {
  template <int Sums> void multiply() {
    for (int r = 0; r < rows(); ++r)
      for (int c = 0; c < 16; ++c)
        for (int k = 0; k < 16; ++k)
          for (int shift = 0; shift < 32; shift += 8) {
            const auto x = static_cast<std::int8_t>(tile(row_tile)[r][k] >> shift);
            const auto w = static_cast<std::uint8_t>(tile(quad_tile)[k][c] >> shift);
            tile(Sums)[r][c] += static_cast<std::uint32_t>(x * std::int32_t{w});
          }
  }
};

/// Up to two tiles of rows: the second one ends with the last row, so that both have the same rows;
/// one row may be in both.
struct TwoTiles {
  std::size_t rows;

  bool two() const { return rows > tile_rows; }
  std::size_t each() const { return two() ? (rows + 1) / 2 : rows; }
  std::size_t second() const { return rows - each(); }
};

/// The sums of a piece of `steps` steps: for each vector of columns those of the first rows, then
/// those of the second tile.
template <class AnyTiles, int Vectors>
HWY_INLINE void sum_steps(AnyTiles& tiles, const TwoTiles& t, const std::byte* quads,
                          const std::byte* x, std::size_t stride, std::size_t steps,
                          std::int32_t (*sums)[tile_rows * vector_lanes]) {
  constexpr std::size_t pitch = Vectors * vector_bytes;
  const std::size_t below = t.second() * stride;
  const bool two = t.two();
  unrolled<Vectors>([&](auto c) WEBNN_UNROLLED {
    tiles.template zero<2 * c>();
    tiles.template zero<2 * c + 1>();
  });
  for (std::size_t s = 0; s < steps; ++s, quads += tile_rows * pitch, x += vector_bytes)
    unrolled<Vectors>([&](auto c) WEBNN_UNROLLED {
      tiles.template load<quad_tile>(quads + std::size_t{c} * vector_bytes, pitch);
      tiles.template load<row_tile>(x, stride);
      tiles.template multiply<2 * c>();
      if (!two) return;
      tiles.template load<row_tile>(x + below, stride);
      tiles.template multiply<2 * c + 1>();
    });
  unrolled<Vectors>([&](auto c) WEBNN_UNROLLED {
    tiles.template store<2 * c>(sums[2 * c], vector_bytes);
    if (two) tiles.template store<2 * c + 1>(sums[2 * c + 1], vector_bytes);
  });
}

/// Rows of a panel; the floats of their sums stay in L1.
template <class W, class AnyTiles, int Vectors>
HWY_NOINLINE void multiply_tile_block(AnyTiles& tiles, const QuantizedBlock& b, TwoTiles t) {
  const D d;
  constexpr auto lanes = static_cast<std::size_t>(vector_lanes);
  const SmallPanels& p = b.weights;
  alignas(64) float floats[2 * tile_rows][Vectors * lanes];
  alignas(64) std::int32_t sums[2 * Vectors][tile_rows * vector_lanes];
  for (std::size_t r = 0; r < t.rows; ++r) {
    V v[1][Vectors];
    load_sums<1, Vectors>(below(b.sums, r), v);
    for (std::size_t c = 0; c < Vectors; ++c) hn::Store(v[0][c], d, floats[r] + c * lanes);
  }
  tiles.begin(static_cast<int>(t.each()));
  const std::byte *at = b.w + Vectors * lanes * p.head_bytes(), *quads = b.quads, *x = b.x,
                  *pieces = b.pieces;
  for (std::size_t i = 0; i < b.count; ++i, pieces += sizeof(QuantizedPiece)) {
    const std::size_t units = i + 1 < b.count ? b.units : b.last_units;
    const std::byte *const scales = at, *const zeros = at + Vectors * lanes * p.scale_bytes();
    at = zeros + (p.zeros ? Vectors * lanes : 0) + units * W::words * Vectors * vector_bytes;
    sum_steps<AnyTiles, Vectors>(tiles, t, quads, x, b.stride, units * W::quads / tile_rows, sums);
    quads += units * W::quads * Vectors * vector_bytes;
    x += units * 4 * W::quads;
    for (std::size_t c = 0; c < Vectors; ++c) {
      const V scale = scales_at(p.scale_form, b.w, scales, c);
      const V zero = p.zeros ? zeros_at<W>(zeros + c * lanes) : hn::Zero(d);
      for (std::size_t r = 0; r < t.rows; ++r) {
        const auto& piece = *reinterpret_cast<const QuantizedPiece*>(pieces + r * b.stride);
        const bool first = r < t.each();
        const std::int32_t* const from =
            sums[2 * c + (first ? 0 : 1)] + (first ? r : r - t.second()) * lanes;
        const VI sum = hn::Load(DI(), from), of_row = hn::Set(DI(), piece.sum);
        const V v = p.zeros ? hn::NegMulAdd(zero, hn::ConvertTo(d, of_row), hn::ConvertTo(d, sum))
                            : hn::ConvertTo(d, hn::Sub(sum, of_row));
        float* const to = floats[r] + c * lanes;
        hn::Store(hn::MulAdd(hn::Mul(v, hn::Set(d, piece.scale)), scale, hn::Load(d, to)), d, to);
      }
    }
  }
  for (std::size_t r = 0; r < t.rows; ++r) {
    V v[1][Vectors];
    for (std::size_t c = 0; c < Vectors; ++c) v[0][c] = hn::Load(d, floats[r] + c * lanes);
    store_sums<1, Vectors>(below(b.sums, r), v);
  }
}

template <class W, int Vectors, class AnyTiles>
void multiply_tile_rows(AnyTiles& tiles, const QuantizedBlock& b, std::size_t rows) {
  constexpr std::size_t together = 2 * tile_rows;
  const std::size_t blocks = (rows + together - 1) / together;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t row = rows * i / blocks;
    QuantizedBlock here = b;
    here.sums = below(b.sums, row);
    here.x += row * b.stride;
    here.pieces += row * b.stride;
    multiply_tile_block<W, AnyTiles, Vectors>(tiles, here, {rows * (i + 1) / blocks - row});
  }
  tiles.end();
}
template <class W, int Vectors>
void multiply_by_tiles(Int8DotProduct products, const QuantizedBlock& b, std::size_t rows) {
#if HWY_ARCH_X86_64
  if (products == Int8DotProduct::tiles) {
    RowTiles tiles;
    return multiply_tile_rows<W, Vectors>(tiles, b, rows);
  }
#endif
  EmulatedRowTiles tiles;
  multiply_tile_rows<W, Vectors>(tiles, b, rows);
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
