// Rows of floats that become integers of 8 bits when a graph runs, and their products with small
// weights.
#pragma once

#include "src/kernels/simd/vector/float32/small_panels.h"
#include "src/kernels/simd/vector/int8/dot_product.h"

namespace webnn::inline v0_1::simd {

/// How much more a weight is in products than it is: bytes are unsigned there, while 16 bits are
/// signed.
constexpr std::int32_t offset_of(SmallType type, bool native) {
  return type == SmallType::int4 ? 8 : type == SmallType::int6 ? 32 : native ? 128 : 0;
}

/// The terms of a row that are multiplied with a piece of the weights: each is scale * integer, up
/// to half the scale, where 127 * scale is the largest magnitude.
struct QuantizedPiece {
  float scale = 0;  ///< over the factor of the scales of the weights
  std::int32_t sum =
      0;  ///< of the integers; times what weights are offset by, if they have no zeros
};

/// A quantized row: its pieces, then its integers in the order in which a product reads them, of 16
/// bits where bytes would have to be widened for each product.
struct QuantizedRow {
  /// Of so many rows.
  QuantizedRow(const SmallPanels& weights, Int8DotProduct dot_product, std::size_t rows);

  SmallPanels weights;
  bool native = false;          ///< with the instruction for the dot product of bytes
  Int8DotProduct products{};    ///< tiles only where they are likely faster
  std::size_t pieces = 0;       ///< of all panels
  std::size_t block_bytes = 0;  ///< of a panel of the weights; the last one may have fewer
  std::size_t stride = 0;       ///< bytes from row to row

  bool wide() const { return weights.type == SmallType::int8 && !native; }
  std::size_t piece_bytes(std::size_t terms) const {
    return divide_up(terms, weights.terms_of_unit()) * weights.terms_of_unit() * (wide() ? 2 : 1);
  }
  std::size_t offset(std::size_t block) const {  ///< of its integers
    return pieces * sizeof(QuantizedPiece) + block * block_bytes;
  }
  std::size_t scratch() const;  ///< bytes for a product of several rows
};
struct QuantizedRows {
  const std::byte* data;
  std::size_t count;
  std::byte* scratch;  ///< null for one row
};

/// Whether the instruction set in use has the products, and with the instruction.
bool has_quantized_rows();
bool has_native_products(Int8DotProduct dot_product);
/// Writes row.stride bytes. False, and not a row, if an element is not finite or the magnitudes
/// are beyond what the sums of products allow.
bool quantize_row(const QuantizedRow& row, const float* x, std::byte* to);
/// The columns of the groups [first, last); y and residual point at row 0 and
/// column 0. The results of a row do not depend on the other rows.
void multiply_quantized_rows(const SmallProduct&, const QuantizedRow& row, const QuantizedRows& x,
                             int first, int last, float* y, const float* residual);

}  // namespace webnn::inline v0_1::simd
