// Products of a few rows with keys and values that lie as rows, of float32 or float16.
#pragma once

#include <cstddef>

namespace webnn::inline v0_1::simd {

/// A matrix of `rows` rows of `columns` elements that begin every `stride` elements.
struct StoredRows {
  const std::byte* data = nullptr;
  bool float16 = false;  ///< else float32
  std::size_t rows = 0, columns = 0, stride = 0;
};

/// scores[row][key]: the products of `count` rows of queries, which are padded with zeros to whole
/// vectors, with each key. The scores of a row do not depend on the other rows.
void multiply_keys(const StoredRows& keys, const float* queries, std::size_t count, float* scores);

/// y[row][columns]: the sums of the values, times the weights [row][values.rows] of each of `count`
/// rows. The scratch has two rows of whole vectors for each of them.
void sum_values(const StoredRows& values, const float* weights, std::size_t count, float* y,
                float* scratch);

}  // namespace webnn::inline v0_1::simd
