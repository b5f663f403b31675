// The shapes of blocks of sums in registers.
#pragma once

namespace webnn::inline v0_1::simd {

/// The rows of sums that fit into `registers` vector registers beside `columns` vectors of the
/// other operand and `others` more. Blocks of one column have the rows of those of two: more would
/// not be faster, and each number of rows is a kernel.
constexpr int rows_in_registers(int registers, int columns, int others) {
  const int wide = columns < 2 ? 2 : columns;
  return (registers - wide - others) / wide;
}

/// The largest divisor of `whole` up to n.
constexpr int divisor_up_to(int n, int whole) {
  while (whole % n != 0) --n;
  return n;
}

/// The rows of products of floats: one more register has an element of the left operand in all
/// lanes.
constexpr int float_block_rows(int registers, int columns) {
  return rows_in_registers(registers, columns, 1);
}

/// Rows of products of bytes come 24 at a time.
inline constexpr int int8_row_step = 24;
/// The rows of products of bytes: four more registers have four elements of the left operand in all
/// lanes, and what a product needs.
constexpr int int8_block_rows(int registers, int columns) {
  return divisor_up_to(rows_in_registers(registers, columns, 4), int8_row_step);
}

}  // namespace webnn::inline v0_1::simd
