// Products of matrices of bytes with signed bytes, over weights packed in panels.
#pragma once

#include "src/kernels/simd/vector/int8/dot_product.h"
#include "src/kernels/simd/vector/int8/fixed_point.h"
#include "src/kernels/simd/vector/int8/layout.h"
#include "src/kernels/simd/vector/int8/tiles.h"

namespace webnn::inline v0_1::simd {

/// y = result(scale * (bias + sum over k of (x ^ flip) * w - w_zero * sum of (x ^ flip))).
/// Vector columns in panels of four (column_of()); w: for each panel [quads][vectors][lanes][4].
struct Int8Gemm {
  Int8DotProduct dot_product = Int8DotProduct::emulated;
  const std::int8_t* w = nullptr;
  const std::int32_t* bias = nullptr;
  Factors scale{};
  const std::int32_t* w_zero = nullptr;  ///< null: zeros
  std::uint8_t flip = 0;                 ///< of x
  std::size_t segments = 1;              ///< of a row of x, each of k bytes, ...
  const std::size_t* offsets = nullptr;  ///< ... which begin here
  std::size_t k = 0;
  bool readable = false;                   ///< the three bytes behind each segment are readable
  std::size_t x_stride = 0, y_stride = 0;  ///< bytes between rows
  /// Rows of x may lie in lines of so many rows, each so many bytes behind the one before it. 0:
  /// all rows are in one line.
  std::size_t line_rows = 0, line_stride = 0;
  int columns = 0;  ///< of y
  Int8Result result{};
  StagedRows staged{};                ///< of x, for tiles
  std::byte* tile_scratch = nullptr;  ///< staged.bytes(); null: no tiles

  std::size_t row_at(std::size_t row) const {  ///< where a row of x begins
    return line_rows == 0 ? row * x_stride
                          : row / line_rows * line_stride + row % line_rows * x_stride;
  }
  std::size_t quads() const { return segments * ((k + 3) / 4); }
};

/// Rows [0, rows) of the panels [first, last); y points at column 0.
void int8_gemm(const Int8Gemm& g, std::size_t rows, int first, int last, const std::uint8_t* x,
               std::uint8_t* y);

}  // namespace webnn::inline v0_1::simd
