// Transposition of matrices of floats, and interleaving of a few rows.
#pragma once

#include <cstddef>

namespace webnn::inline v0_1::simd {

/// y[j * rows + i] = x[i * x_row + j] for i < rows, j < columns; 2 to 4 rows, for images of
/// few channels that become nhwc.
void interleave(const float* x, std::size_t x_row, std::size_t rows, std::size_t columns, float* y);

/// Bytes of scratch that transpose_rows() needs, aligned to 64.
std::size_t transpose_scratch();

/// The largest number of rows of transpose_rows().
inline constexpr std::size_t max_transpose_rows = 256;

/// y[j * y_row + i] = x[i * x_row + j] for i < rows, j < columns; columns <= lanes().
void transpose_rows(const float* x, std::size_t x_row, std::size_t rows, std::size_t columns,
                    float* y, std::size_t y_row, float* scratch);

}  // namespace webnn::inline v0_1::simd
