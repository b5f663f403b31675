// Products of a few rows with keys and values that lie as rows, of float32, float16 or int8.
#pragma once

#include <cstddef>

#include "src/kernels/common/growing.h"

namespace webnn::inline v0_1::simd {

/// A matrix of `rows` rows of `columns` elements that begin every `stride` elements.
struct StoredRows {
  const std::byte* data = nullptr;
  StoredAs as = StoredAs::float32;
  std::size_t rows = 0, columns = 0, stride = 0;
  /// Of int8, whose columns and stride are multiples of stored_block.
  const float* scales = nullptr;
};

/// scores[row][key]: the products of `count` rows of queries, which are padded with zeros to whole
/// vectors, with each key. The scores of a row do not depend on the other rows.
void multiply_keys(const StoredRows& keys, const float* queries, std::size_t count, float* scores);

/// The rows as floats, one after the other.
void load_rows(const StoredRows& rows, float* to);

/// y[row][columns]: the sums of the values, times the weights [row][values.rows] of each of `count`
/// rows. The scratch has two rows of whole vectors for each of them.
void sum_values(const StoredRows& values, const float* weights, std::size_t count, float* y,
                float* scratch);

}  // namespace webnn::inline v0_1::simd
