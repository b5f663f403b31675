// Matrices of floats turned over their diagonal, and few rows woven together.
#pragma once

#include <cstddef>

namespace webnn::simd {

/// y[j * rows + i] = x[i * x_row + j] for i < rows, j < columns; 2 to 4 rows: channels of an image
/// that become neighbors.
void weave(const float* x, std::size_t x_row, std::size_t rows, std::size_t columns, float* y);

/// Bytes of scratch that turn() needs, aligned to 64.
std::size_t turn_scratch();

/// The most rows that turn() takes.
inline constexpr std::size_t turned_rows = 256;

/// y[j * y_row + i] = x[i * x_row + j] for i < rows, j < columns; columns <= lanes().
void turn(const float* x, std::size_t x_row, std::size_t rows, std::size_t columns, float* y,
          std::size_t y_row, float* scratch);

}  // namespace webnn::simd
