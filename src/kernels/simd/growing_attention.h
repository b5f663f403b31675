// What attention reads of a run: all keys and values of its operands, or those that states have.
#pragma once

#include <optional>

#include "src/kernels/common/growing.h"
#include "src/kernels/simd/attention_rows.h"
#include "src/kernels/simd/vector/float32/few_queries.h"

namespace webnn::inline v0_1::simd {

class AttentionTerms {
 public:
  /// `growing`: nothing for operands that are read as a whole.
  AttentionTerms(const AttentionRows& a, const std::optional<GrowingRows>& growing)
      : growing_(growing), all_(a.terms), widest_(std::max(a.inner, a.columns)) {}

  /// Whether masks and keys lie so that any number of the keys can be read.
  bool fits(const AttentionRows& a) const;
  bool is_growing() const { return growing_.has_value(); }
  /// How keys and values lie.
  StoredAs stored() const { return growing_ ? growing_->stored : StoredAs::float32; }
  /// Rows of keys (1) or values (2) that begin with the element `at`.
  StoredRows rows(const Buffers& b, std::size_t slot, std::size_t at, std::size_t rows,
                  std::size_t columns, std::size_t stride) const;
  /// The keys of a run.
  std::size_t of(const Buffers& b) const { return growing_ ? growing_->rows(b) : all_; }
  /// From one row of the mask to the next.
  std::size_t mask_row(const AttentionRows& a, std::size_t terms) const {
    const bool follows = growing_ && !growing_->spread_masks && a.mask.step != 0 && a.mask.row != 0;
    return follows ? terms : a.mask.row;
  }
  /// Floats of scratch for floats(): those of a matrix of keys or values that is not float32.
  std::size_t scratch_floats() const;
  /// The rows of a matrix of keys or values, from the element `at` on.
  const float* floats(const Buffers& b, std::size_t slot, std::size_t at, std::size_t rows,
                      std::size_t columns, float* scratch) const;

 private:
  std::size_t matrix_floats() const { return round_up(all_ * widest_, 16); }

  std::optional<GrowingRows> growing_;
  std::size_t all_, widest_;
};

}  // namespace webnn::inline v0_1::simd
