#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/kernels/simd/vector/int8/transpose.cpp"
#include "src/kernels/simd/vector/int8/transpose.h"

#include <hwy/foreach_target.h>

#include <algorithm>

#include "src/kernels/simd/vector/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace webnn::inline v0_1::simd::HWY_NAMESPACE {

void transpose_elements(const std::uint8_t* x, std::size_t x_row, std::size_t rows,
                        std::size_t columns, std::uint8_t* y, std::size_t y_row) {
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < rows; ++i) y[j * y_row + i] = x[i * x_row + j];
}

#if HWY_TARGET == HWY_SCALAR

void transpose_bytes(const std::uint8_t* x, std::size_t x_row, std::size_t rows,
                     std::size_t columns, std::uint8_t* y, std::size_t y_row) {
  transpose_elements(x, x_row, rows, columns, y, y_row);
}

#else

constexpr std::size_t tile = 16;

/// One tile: each of four steps interleaves rows that are half of the rows apart.
HWY_INLINE void transpose_tile(const std::uint8_t* x, std::size_t x_row, std::uint8_t* y,
                               std::size_t y_row) {
  const hn::Full128<std::uint8_t> d;
  hn::Vec<hn::Full128<std::uint8_t> > a[tile], b[tile];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < tile; ++i) a[i] = hn::LoadU(d, x + i * x_row);
#pragma GCC unroll 4
  for (int step = 0; step < 4; ++step) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < tile / 2; ++i) {
      b[2 * i] = hn::InterleaveLower(d, a[i], a[i + tile / 2]);
      b[2 * i + 1] = hn::InterleaveUpper(d, a[i], a[i + tile / 2]);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < tile; ++i) a[i] = b[i];
  }
#pragma GCC unroll 16
  for (std::size_t j = 0; j < tile; ++j) hn::StoreU(a[j], d, y + j * y_row);
}

void interleave_bytes(const std::uint8_t* x, std::size_t x_row, std::size_t rows,
                      std::size_t columns, std::uint8_t* y) {
  const hn::Full128<std::uint8_t> d;
  const auto load = [&](std::size_t i, std::size_t j) { return hn::LoadU(d, x + i * x_row + j); };
  std::size_t j = 0;
  for (; j + tile <= columns; j += tile) {
    std::uint8_t* const to = y + j * rows;
    if (rows == 2) hn::StoreInterleaved2(load(0, j), load(1, j), d, to);
    else if (rows == 3) hn::StoreInterleaved3(load(0, j), load(1, j), load(2, j), d, to);
    else hn::StoreInterleaved4(load(0, j), load(1, j), load(2, j), load(3, j), d, to);
  }
  transpose_elements(x + j, x_row, rows, columns - j, y + j * rows, rows);
}

/// The last tiles overlap those before them.
void transpose_bytes(const std::uint8_t* x, std::size_t x_row, std::size_t rows,
                     std::size_t columns, std::uint8_t* y, std::size_t y_row) {
  if (rows >= 2 && rows <= 4 && y_row == rows) return interleave_bytes(x, x_row, rows, columns, y);
  if (rows < tile || columns < tile) return transpose_elements(x, x_row, rows, columns, y, y_row);
  constexpr std::size_t line = 64;  // of the cache: its tiles one after the other
  for (std::size_t first = 0; first < columns; first += line) {
    const std::size_t last = std::min(columns, first + line);
    for (std::size_t i = 0; i < rows; i += tile) {
      const std::size_t row = std::min(i, rows - tile);
      for (std::size_t j = first; j < last; j += tile) {
        const std::size_t column = std::min(j, columns - tile);
        transpose_tile(x + row * x_row + column, x_row, y + column * y_row + row, y_row);
      }
    }
  }
}

#endif

}  // namespace webnn::inline v0_1::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace webnn::inline v0_1::simd {
HWY_EXPORT(transpose_bytes);
void int8_transpose(const std::uint8_t* x, std::size_t x_row, std::size_t rows, std::size_t columns,
                    std::uint8_t* y, std::size_t y_row) {
  HWY_DYNAMIC_DISPATCH(transpose_bytes)(x, x_row, rows, columns, y, y_row);
}
}  // namespace webnn::inline v0_1::simd
#endif
