// Transposition of matrices of bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace webnn::inline v0_1::simd {

/// y[j * y_row + i] = x[i * x_row + j] for i < rows, j < columns.
void int8_transpose(const std::uint8_t* x, std::size_t x_row, std::size_t rows, std::size_t columns,
                    std::uint8_t* y, std::size_t y_row);

}  // namespace webnn::inline v0_1::simd
