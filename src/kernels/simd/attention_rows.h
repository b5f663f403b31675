// Where the operands of an attention lie, and how its scores are masked.
#pragma once

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/vector/float32/rows.h"

namespace webnn::inline v0_1::simd {

/// Where the matrix of an operand begins for each matrix of scores, in elements.
struct MatrixPlaces {
  std::size_t rank = 0;
  std::array<std::size_t, max_rank> sizes{};  // of the batches
  std::array<std::ptrdiff_t, max_rank> strides{};
  std::size_t repeats = 1;  // of each index of the last dimension

  std::size_t operator[](std::size_t i) const;
};

/// How an operand lies that masks scores: from row to row, and from one to the next in a row.
struct Mask {
  int slot = -1;  // -1: none
  std::size_t row = 0, step = 0;
  MatrixPlaces places{};
};

/// What kernels of attention have in common. `terms`: the keys of a run.
struct AttentionRows {
  explicit AttentionRows(const fused::attention& op);

  fused::AttentionOptions options;
  fused::AttentionShapes shapes;
  std::size_t batches = 1, rows = 1, terms = 1, inner = 1, columns = 1, mask_rows = 1;
  std::size_t key_inner = 0, key_term = 0;  // strides of a matrix of keys
  MatrixPlaces queries{}, keys{}, values{};
  Mask condition{}, mask{}, left_out{};
  ScoreTerms query_scale{}, key_scale{}, score_scale{};

  /// n rows of queries of which the first is `first` of a matrix: their own memory, or scaled.
  const float* scaled_queries(const Buffers& b, std::size_t batch, std::size_t first, std::size_t n,
                              float* scratch) const;
  /// Scales and masks n rows of scores of which the first is `first` of a matrix.
  void mask_scores(const Buffers& b, std::size_t batch, std::size_t first, std::size_t n,
                   float* scores) const {
    mask_scores(b, batch, first, n, scores, terms, mask.row);
  }
  /// The same of so many terms, with rows of the mask that lie so far apart.
  void mask_scores(const Buffers& b, std::size_t batch, std::size_t first, std::size_t n,
                   float* scores, std::size_t count, std::size_t mask_row) const;
  /// Sets rows of the result to zero that are left out.
  void clear_rows(const Buffers& b, std::size_t batch, std::size_t first, std::size_t n,
                  float* y) const;

 private:
  void place_operands(const fused::attention& op);
  void place_masks();
  Mask mask_of(const std::optional<MLOperand>& operand, int& slot) const;
  void replace(const std::uint8_t* bytes, float* scores, std::size_t count) const;
};

}  // namespace webnn::inline v0_1::simd
