// Weights of 4, 6, 8 and 16 bits in panels, which become floats in registers.
#pragma once

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/vector/float32/panels.h"

namespace webnn::inline v0_1::simd {

enum class SmallType { int4, int6, int8, float16, bfloat16, float8e4m3 };
constexpr int bits_of(SmallType type) {
  constexpr int bits[] = {4, 6, 8, 16, 16, 8};
  return bits[static_cast<int>(type)];
}
constexpr bool has_integers(SmallType type) {
  using enum SmallType;
  return type == int4 || type == int6 || type == int8;
}

/// How scales are stored: as floats, as float16, or as bytes that are multiplied by a float for all
/// pieces of a panel.
enum class ScaleForm { float32, float16, bytes };

/// The weights of a product of float32 in fewer bits. A panel holds the floats of the columns of
/// its group that scales in bytes are multiplied by, if they are bytes; then, for each piece of its
/// block of k, one after the other: the scales of the columns, their zero points in bytes, if there
/// are any, and the weights: floats [k of the piece][columns], integers [words of the
/// piece][columns], each word of 32 bits with eight terms of int4 or four of int8, the first in the
/// lowest bits. Sixteen terms of int6, of 0 to 63, are three words: their bytes have the first
/// twelve terms, and in their highest two bits those of the other four, the lowest two in the first
/// word. Other integers are signed; a weight is (integer - zero) * scale, where int6 counts as 32
/// less. Scales of float32 are multiplied by scale_factor(type).
struct SmallPanels {
  SmallType type = SmallType::int8;
  PanelLayout layout{};  ///< blocks of k are whole pieces
  bool scales = true;
  std::size_t piece = 0;  ///< terms with the same scales, if there are any
  bool zeros = false;     ///< each piece has zero points of its own
  int zero = 0;           ///< of all, if not
  ScaleForm scale_form = ScaleForm::float32;
  bool rounds = false;  ///< weights of integers are rounded to float16
  const std::byte* bytes = nullptr;

  bool has_integers() const { return simd::has_integers(type); }
  std::size_t pieces(std::size_t block) const {  ///< of a panel
    return scales ? (layout.block_size(block) + piece - 1) / piece : 1;
  }
  /// The terms of a piece; the last of a panel may have fewer.
  std::size_t terms(std::size_t block, std::size_t i) const {
    const std::size_t all = layout.block_size(block);
    return scales ? std::min(piece, all - i * piece) : all;
  }
  /// Terms that are whole words, and these words.
  std::size_t terms_of_unit() const {
    return type == SmallType::int6 ? 16 : to_size(32 / bits_of(type));
  }
  std::size_t words_of_unit() const { return type == SmallType::int6 ? 3 : 1; }
  std::size_t column_bytes(std::size_t terms) const {  ///< of the weights of a piece
    return has_integers() ? divide_up(terms, terms_of_unit()) * words_of_unit() * 4
                          : terms * to_size(bits_of(type)) / 8;
  }
  std::size_t head_bytes() const {  ///< of one column, before the pieces
    return scale_form == ScaleForm::bytes ? sizeof(float) : 0;
  }
  std::size_t scale_bytes() const {
    return scale_form == ScaleForm::bytes     ? 1
           : scale_form == ScaleForm::float16 ? 2
                                              : sizeof(float);
  }
  std::size_t piece_bytes(std::size_t terms) const {  ///< of one column
    return column_bytes(terms) + (scales ? scale_bytes() + zeros : 0);
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
/// bits of a word, and float8e4m3 with the exponents of float16.
constexpr float scale_factor(SmallType type) {
  switch (type) {
    case SmallType::int4: return 0x1p-28f;
    case SmallType::float16:
    case SmallType::bfloat16: return 1;
    case SmallType::float8e4m3: return 0x1p8f;
    default: return 0x1p-24f;
  }
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
