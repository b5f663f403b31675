// Depthwise convolutions of padded rows of bytes.
#pragma once

#include "src/kernels/simd/vector/int8/dot_product.h"
#include "src/kernels/simd/vector/int8/fixed_point.h"
#include "src/kernels/simd/vector/int8/layout.h"

namespace webnn::inline v0_1::simd {

/// Contiguous bytes of the result, of any pixels: byte i is computed from byte i of each of the
/// window's columns. Quads have the bytes of four rows of the window.
struct Int8Depthwise {
  Int8DotProduct dot_product = Int8DotProduct::emulated;
  /// For each of `period` vectors of bytes, after which channels repeat themselves, for each
  /// column, for each four rows: four vectors of quads, as interleave_quads() makes them. For a
  /// second row of the result the same again.
  const std::int8_t* w = nullptr;
  std::size_t second = 0;  ///< bytes from the weights of one row of the result to the next
  const std::int32_t* bias = nullptr;    ///< [period][4][lanes], in the same order
  Factors scale{};                       ///< the same
  const std::int32_t* w_zero = nullptr;  ///< the same; null: zeros
  const std::int32_t* ones = nullptr;    ///< for each row of the result and each four rows: a quad
  std::uint8_t flip = 0;                 ///< of x
  std::size_t period = 1, quads = 1, kernel_w = 1;
  const std::size_t* columns = nullptr;  ///< where each begins in a row
  std::size_t row = 0;                   ///< bytes of a row of the result
  /// Windows of 3 columns of 4 rows at most: how many of the columns that a vector of bytes reads,
  /// 1 or 2, the one `period` vectors before does not. 0: all, or other windows.
  std::size_t fresh = 0;
  Int8Result result{};
};

/// One row of the result, or two, from 4 * quads rows.
void int8_depthwise(const Int8Depthwise& g, int results, const std::uint8_t* const* rows,
                    std::uint8_t* y);

}  // namespace webnn::inline v0_1::simd
