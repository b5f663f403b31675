// Padded copies of the rows of an int8 image: padding has the zero point, and with a stride the
// pixels that are read together are contiguous.
#pragma once

#include <cstdint>

#include "src/kernels/common/convolution.h"

namespace webnn::inline v0_1::simd {

class PaddedRows {
 public:
  /// `phases`: 1, or the stride: column c of the window of pixel p is then next to column c
  /// of the window of pixel p + 1.
  PaddedRows(const Convolution& shape, int phases);
  /// Whether the copies need less than max_scratch bytes; to be checked before construction.
  static bool affordable(const Convolution& shape);

  std::size_t row_bytes() const { return row_bytes_; }
  /// The bytes of what `rows` rows of the result read, with room to read a vector beyond the end.
  std::size_t bytes(int rows) const { return rows_for(rows) * row_bytes_ + 64; }
  std::size_t rows_for(int rows) const;
  /// Rows of the result at a time, so that their inputs stay in L1 if possible; even, or 1.
  int rows_at_once() const;
  /// Where column kx of the window of the first pixel begins in a row.
  std::size_t column(int kx) const;
  /// Copies the rows of an image that the rows [first, first + rows) of the result read; `zero` is
  /// the padding.
  void copy(const std::uint8_t* image, int first, int rows, std::uint8_t zero,
            std::uint8_t* to) const;

 private:
  void copy_row(const std::uint8_t* from, std::uint8_t zero, std::uint8_t* to) const;

  Convolution s_;
  std::size_t phases_, channels_, columns_, phase_columns_, row_bytes_;
};

}  // namespace webnn::inline v0_1::simd
