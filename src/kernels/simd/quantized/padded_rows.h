// Rows of an image of bytes, copied so that windows need no bounds: padding holds the zero point,
// and of a stride, pixels that are read together lie together.
#pragma once

#include <cstdint>

#include "src/kernels/common/convolution.h"

namespace webnn::simd {

class PaddedRows {
 public:
  /// `phases`: 1, or the stride: column c of the window of pixel p is then a neighbor of column
  /// c of pixel p + 1.
  PaddedRows(const Convolution& shape, int phases, std::uint8_t zero);
  /// Whether the copies are of a reasonable size; asked before one is made.
  static bool affordable(const Convolution& shape);

  std::size_t row_bytes() const { return row_bytes_; }
  /// Of the rows that `rows` rows of the result read, with room to read a vector beyond the end.
  std::size_t bytes(int rows) const { return rows_for(rows) * row_bytes_ + 64; }
  std::size_t rows_for(int rows) const;
  /// Rows of the result whose inputs stay in L1 or are not much more; an even number, or 1.
  int rows_at_once() const;
  /// Where column kx of the window of the first pixel begins in a row.
  std::size_t column(int kx) const;
  /// Copies what the rows [first, first + rows) of the result read of an image.
  void copy(const std::uint8_t* image, int first, int rows, std::uint8_t* to) const;

 private:
  void copy_row(const std::uint8_t* from, std::uint8_t* to) const;

  Convolution s_;
  std::size_t phases_, channels_, columns_, phase_columns_, row_bytes_;
  std::uint8_t zero_;
};

}  // namespace webnn::simd
