// Products of matrices of bfloat16 over weights packed in panels, with sums of float32.
#pragma once

#include <span>

#include "src/kernels/simd/vector/bfloat16/pairs.h"
#include "src/kernels/simd/vector/float32/panels.h"

namespace webnn::inline v0_1::simd {

/// The panels of a matrix [k][columns]. In place of a term of a sum there is a pair of them, which
/// has the size of a float; for tiles zeros follow, so that blocks are whole steps.
PanelLayout pair_layout(Bfloat16Products, std::size_t k, int columns);

/// y = epilogue(x * w + bias + residual), as PanelProduct.
struct PairProduct {
  Bfloat16Products products = Bfloat16Products::none;
  const std::uint32_t* w = nullptr;
  const float* bias = nullptr;  ///< padded to whole vectors
  PanelLayout layout{};
  std::size_t y_stride = 0;
  Epilogue epilogue{};
  bool accumulate = false;  ///< start from y, not from the bias
};

/// Where the pairs of a block lie in a row: in segments, which begin so far apart.
struct PairTerms {
  std::size_t each = 0, segments = 1, stride = 0;
};
/// Rows that lie at one distance.
struct PairRun {
  const std::uint32_t* x;  ///< the pairs of the block in the first one
  std::size_t first;       ///< of the rows of y
  std::size_t count;
};
/// Rows whose pairs of one block are there.
struct PairChunk {
  std::span<const PairRun> runs;
  std::size_t stride;  ///< from row to row of a run
  PairTerms terms;
  float* y;                       ///< at row 0 and column 0
  const float* residual;          ///< likewise, or null
  std::span<const float> next{};  ///< the rows of the next chunk, which are fetched meanwhile
};

/// One block of the terms for the columns of the groups [first, last). `again`: the next chunk
/// begins with the first panel.
void multiply_pair_chunk(const PairProduct&, const PairChunk&, std::size_t block, int first,
                         int last, bool again);

/// The rows that are converted to pairs at a time, and the bytes that they take, with what `copy`
/// needs besides.
std::size_t pair_rows(const PanelLayout&);
std::size_t pair_scratch(const PanelLayout&, std::size_t rows, bool copies);

/// As multiply_panels(), for rows of k floats. in.copy may be null whatever the columns: rows are
/// converted.
void multiply_pairs(const PairProduct&, std::size_t k, const PanelRows& in, std::size_t row,
                    std::size_t rows, int first, int last, float* y, const float* residual,
                    std::byte* scratch);
/// One row. The scratch holds its pairs, a vector more than there are.
void multiply_pair_row(const PairProduct&, std::size_t k, const float* x, int first, int last,
                       float* y, const float* residual, std::uint32_t* scratch);

/// n floats of each row as pairs; rows lie `stride` floats and `pitch` pairs apart.
void convert_rows(Bfloat16Products, const float* x, std::size_t stride, std::size_t rows,
                  std::size_t n, std::uint32_t* to, std::size_t pitch);

/// A matrix to be packed: element (k, column) is at k * stride_k + column * stride_column, of which
/// one is 1.
struct PairMatrix {
  const float* data = nullptr;
  std::size_t k, stride_k, stride_column;
  float scale = 1;
  StoredFloat stored = StoredFloat::float32;
  const void* narrow = nullptr;  ///< the elements in place of data, if they are not float32
};
/// The groups [first, last) of a block, at their places in the panels `to`.
void pack_pairs(Bfloat16Products, const PairMatrix&, const PanelLayout&, std::size_t block,
                int first, int last, std::uint32_t* to);

}  // namespace webnn::inline v0_1::simd
