// Products of matrices over weights packed in panels, for weights that come from beyond L1.
#pragma once

#include <cstddef>

#include "src/kernels/common/epilogue.h"

namespace webnn::inline v0_1::simd {

/// Weights [k][columns] cut into blocks of k, each block into groups of vector columns; a panel is
/// one group of one block, [k of the block][columns of the group], contiguous and zero padded to
/// whole vectors. Panels lie in the order in which a product reads them: all groups of a block,
/// then the next block. Groups are 3 vectors wide, the last ones 2 (or 1, if there is only one
/// vector).
struct PanelLayout {
  PanelLayout() = default;
  PanelLayout(std::size_t k, int columns);

  std::size_t k = 0, block = 1;  ///< terms of a sum; of them in a block, the last has the rest
  int columns = 0;
  int lanes = 1, vectors = 0, wide_groups = 0, groups = 0;

  std::size_t blocks() const { return (k + block - 1) / block; }
  int first_vector(int group) const {
    return group < wide_groups ? 3 * group : 3 * wide_groups + 2 * (group - wide_groups);
  }
  int first_column(int group) const { return first_vector(group) * lanes; }
  int group_vectors(int group) const {
    return group < wide_groups ? 3 : vectors - first_vector(group) < 2 ? 1 : 2;
  }
  std::size_t padded_columns() const {
    return static_cast<std::size_t>(vectors) * static_cast<std::size_t>(lanes);
  }
  std::size_t size() const { return k * padded_columns(); }  ///< floats
  std::size_t block_size(std::size_t b) const { return b + 1 < blocks() ? block : k - b * block; }
  std::size_t offset(std::size_t b, int group) const {  ///< of a panel, in floats
    return b * block * padded_columns() +
           block_size(b) * static_cast<std::size_t>(first_column(group));
  }
};

/// Where rows of the left operand come from.
struct PanelRows {
  const float* x = nullptr;
  std::size_t stride = 0;  ///< floats between rows of x
  /// Copies the terms [k, k + count) of the rows [first, first + rows) to `to`, `pitch` floats from
  /// row to row. Null: rows lie as a product can read them.
  void (*copy)(const PanelRows&, std::size_t first, std::size_t rows, std::size_t k,
               std::size_t count, float* to, std::size_t pitch) = nullptr;
  const void* context = nullptr;  ///< of copy
};

/// y = epilogue(x * w + bias + residual). y carries the sums from one block of k to the next, so
/// the order of the terms, and so the result, does not depend on the layout.
struct PanelProduct {
  const float* w = nullptr;
  const float* bias = nullptr;  ///< padded to whole vectors
  PanelLayout layout{};
  std::size_t y_stride = 0;
  Epilogue epilogue{};
  bool accumulate = false;  ///< start from y, not from the bias
};

/// Rows whose terms of one block of k lie together.
struct PanelChunk {
  const float* x;
  std::size_t stride, count;
  float* y;               ///< at column 0
  const float* residual;  ///< likewise, or null
};
/// The panel that is read after this one; null if it is not known.
struct NextPanel {
  const float* w = nullptr;
  std::size_t size = 0;
};

int panel_rows();  ///< rows that registers hold beside the widest group of columns
/// Rows that are copied to scratch at a time, and the floats that they take.
std::size_t panel_chunk(const PanelLayout&);
std::size_t panel_scratch(const PanelLayout&, std::size_t rows);

/// Rows [0, rows) of the columns of the groups [first, last); row 0 is row `row` of the operand. y
/// and residual point at row 0 and column 0.
void multiply_panels(const PanelProduct&, const PanelRows&, std::size_t row, std::size_t rows,
                     int first, int last, float* y, const float* residual, float* scratch);

}  // namespace webnn::inline v0_1::simd
