// The registers of tiles, and memory that stands for them in tests. One copy per target.
#if defined(WEBNN_SIMD_TILE_REGISTERS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef WEBNN_SIMD_TILE_REGISTERS_INL_H
#undef WEBNN_SIMD_TILE_REGISTERS_INL_H
#else
#define WEBNN_SIMD_TILE_REGISTERS_INL_H
#endif
#include <cstdint>
#include <cstring>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

constexpr int tile_rows = 16;

#if HWY_ARCH_X86_64
/// In assembler, because not every version of the compiler knows them. Nothing else uses them, so
/// they need no place among what the compiler keeps. The tiles from `Weights` on have all rows.
template <int Weights> class TileRegisters {
 public:
  /// The other tiles have so many rows; all tiles lose what they had if that changes.
  HWY_INLINE void begin(int rows) {
    if (rows == rows_) return;
    rows_ = rows;
    struct alignas(64) {
      std::uint8_t palette = 1, start = 0, zeros[14] = {};
      std::uint16_t bytes[16] = {};
      std::uint8_t rows[16] = {};
    } all;
    for (int i = 0; i < 8; ++i) {
      all.bytes[i] = 64;
      all.rows[i] = static_cast<std::uint8_t>(i >= Weights ? tile_rows : rows);
    }
    asm volatile("ldtilecfg %0" : : "m"(all));
  }
  HWY_INLINE void end() {
    asm volatile("tilerelease");
    rows_ = 0;
  }
  template <int Tile> HWY_INLINE void zero() { asm volatile("tilezero %%tmm%c0" : : "i"(Tile)); }
  /// `stride`: bytes.
  template <int Tile> HWY_INLINE void load(const void* from, std::size_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(Tile) : "memory");
  }
  template <int Tile> HWY_INLINE void store(void* to, std::size_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(stride), "i"(Tile) : "memory");
  }

 private:
  int rows_ = 0;
};
#endif

/// What they do, one number after the other.
template <int Weights> class EmulatedTileRegisters {
 public:
  void begin(int rows) {
    if (rows != rows_) std::memset(tiles_, 0x55, sizeof tiles_);  // nothing that a kernel may read
    rows_ = rows;
  }
  void end() { rows_ = 0; }
  template <int Tile> void zero() { std::memset(tiles_[Tile], 0, sizeof tiles_[Tile]); }
  template <int Tile> void load(const void* from, std::size_t stride) {
    for (std::size_t r = 0; r < rows_of(Tile); ++r)
      std::memcpy(&tiles_[Tile][r], static_cast<const char*>(from) + r * stride, 64);
  }
  template <int Tile> void store(void* to, std::size_t stride) const {
    for (std::size_t r = 0; r < rows_of(Tile); ++r)
      std::memcpy(static_cast<char*>(to) + r * stride, &tiles_[Tile][r], 64);
  }

 protected:
  int rows() const { return rows_; }
  std::uint32_t (&tile(int i))[16][16] { return tiles_[i]; }

 private:
  std::size_t rows_of(int tile) const {
    return static_cast<std::size_t>(tile >= Weights ? tile_rows : rows_);
  }

  int rows_ = 0;
  std::uint32_t tiles_[8][16][16] = {};
};

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
