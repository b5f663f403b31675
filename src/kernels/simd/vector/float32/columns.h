// Columns of a matrix whose rows lie one after the other: reductions, places of the extremes,
// softmax.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/kernels/simd/vector/float32/rows.h"

namespace webnn::inline v0_1::simd {

/// to[c] = the sum (of squares), the largest or the smallest element of column c. Means are left as
/// sums.
void reduce_columns(Reduction r, const float* x, std::size_t rows, std::size_t columns, double* to);

/// The place of the largest or smallest element of each row or column; a NaN counts as beyond
/// every number, of equals the first is taken.
enum class Extreme { smallest, largest };
void arg_rows(Extreme e, const float* x, std::size_t rows, std::size_t columns, std::int32_t* to);
/// Searches the columns [first, last); `to` has the result of the column `first`.
void arg_columns(Extreme e, const float* x, std::size_t rows, std::size_t columns,
                 std::size_t first, std::size_t last, std::int32_t* to);

/// The softmax of each of the columns [first, last). y has the layout of x and may be x.
void softmax_columns(const float* x, std::size_t rows, std::size_t columns, std::size_t first,
                     std::size_t last, float* y);

}  // namespace webnn::inline v0_1::simd
