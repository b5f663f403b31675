// Few rows woven together: channels of an image that become neighbours.
#pragma once

#include <cstddef>

namespace webnn::simd {

/// y[j * rows + i] = x[i * x_row + j] for i < rows, j < columns; 2 to 4 rows.
void weave(const float* x, std::size_t x_row, std::size_t rows, std::size_t columns, float* y);

}  // namespace webnn::simd
