// Weights of 4, 8 and 16 bits in panels, which become floats in registers.
#pragma once

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/vector/float32/panels.h"

namespace webnn::inline v0_1::simd {

enum class SmallType { int4, int8, float16 };
constexpr int bits_of(SmallType type) {
  return type == SmallType::int4 ? 4 : type == SmallType::int8 ? 8 : 16;
}

/// The weights of a product of float32 in fewer bits. A panel holds, for each piece of its block of
/// k, one after the other: the scales of the columns of its group, float32 or float16, their zero
/// points in bytes, if there are any, and the weights: float16 [k of the piece][columns], integers
/// [words of the piece][columns], each word of 32 bits with eight terms of int4 or four of int8,
/// the first in the lowest bits. Integers are signed; a weight is (integer - zero) * scale, of
/// which float32 are multiplied by scale_factor(type).
struct SmallPanels {
  SmallType type = SmallType::int8;
  PanelLayout layout{};   ///< blocks of k are whole pieces
  std::size_t piece = 0;  ///< terms with the same scales; of float16 there are none
  bool zeros = false;
  bool half_scales = false;  ///< they are float16
  const std::byte* bytes = nullptr;

  bool scaled() const { return type != SmallType::float16; }
  std::size_t pieces(std::size_t block) const {  ///< of a panel
    return scaled() ? (layout.block_size(block) + piece - 1) / piece : 1;
  }
  /// The terms of a piece; the last of a panel may have fewer.
  std::size_t terms(std::size_t block, std::size_t i) const {
    const std::size_t all = layout.block_size(block);
    return scaled() ? std::min(piece, all - i * piece) : all;
  }
  std::size_t terms_of_word() const { return to_size(32 / bits_of(type)); }
  std::size_t column_bytes(std::size_t terms) const {  ///< of the weights of a piece
    return scaled() ? divide_up(terms, terms_of_word()) * 4 : 2 * terms;
  }
  std::size_t scale_bytes() const { return half_scales ? 2 : sizeof(float); }
  std::size_t piece_bytes(std::size_t terms) const {  ///< of one column
    return column_bytes(terms) + (scaled() ? scale_bytes() + zeros : 0);
  }
  std::size_t block_bytes(std::size_t block) const;  ///< of one column
  std::size_t offset(std::size_t block, int group) const {
    return block * layout.padded_columns() * block_bytes(0) +
           block_bytes(block) * static_cast<std::size_t>(layout.first_column(group));
  }
  std::size_t size() const {
    return offset(layout.blocks() - 1, 0) +
           layout.padded_columns() * block_bytes(layout.blocks() - 1);
  }
};

/// Scales of float32 have this factor because the kernels of floats read integers in the highest
/// bits of a word.
constexpr float scale_factor(SmallType type) {
  return type == SmallType::int4 ? 0x1p-28f : type == SmallType::int8 ? 0x1p-24f : 1;
}

/// What PanelProduct has besides weights.
struct SmallProduct {
  SmallPanels weights{};
  const float* bias = nullptr;  ///< padded to whole vectors
  std::size_t y_stride = 0;
  Epilogue epilogue{};
  bool accumulate = false;  ///< start from y, not from the bias
};

/// One row of k terms times the columns of the groups [first, last). y and residual point at
/// column 0.
void multiply_small_row(const SmallProduct&, const float* x, int first, int last, float* y,
                        const float* residual);
/// A panel as floats, [k of the block][columns of the group].
void expand_panel(const SmallPanels&, std::size_t block, int group, float* to);
/// The floats of the largest panel.
std::size_t small_panel_floats(const PanelLayout&);
/// Like multiply_panels(): a panel becomes floats once for all rows of a chunk. The scratch has
/// small_panel_floats() more.
void multiply_small_panels(const SmallProduct&, const PanelRows&, std::size_t row, std::size_t rows,
                           int first, int last, float* y, const float* residual, float* scratch);
/// One row times float32 weights in panels, like multiply_panels().
void multiply_row(const PanelProduct&, const float* x, int first, int last, float* y,
                  const float* residual);

}  // namespace webnn::inline v0_1::simd
