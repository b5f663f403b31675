// Products of matrices in blocks, summed in double: what gemm, matmul and conv2d have in common.
#pragma once

#include <cstddef>

#include "src/kernels/common/partition.h"

namespace webnn::reference {

/// Memory for one block: a panel of each factor and the sums.
struct ProductBlock {
  static constexpr std::size_t rows = 64, columns = 32, depth = 128;

  double a[rows][depth];
  double b[depth][columns];
  double sums[rows][columns];

  void clear();
  /// sums += a * b for the first so many of each. Columns are rounded up to a multiple of 4.
  void multiply(std::size_t row_count, std::size_t column_count, std::size_t depth_count);
};

/// The blocks of `batch` products of [rows, depth] with [depth, columns].
struct ProductShape {
  std::size_t batch = 1, rows = 1, columns = 1, depth = 1;

  struct Place {
    std::size_t batch, row, rows, column, columns;
  };
  std::size_t blocks_down() const { return (rows + ProductBlock::rows - 1) / ProductBlock::rows; }
  std::size_t blocks_across() const {
    return (columns + ProductBlock::columns - 1) / ProductBlock::columns;
  }
  std::size_t blocks() const { return batch * blocks_down() * blocks_across(); }
  Partition cut_blocks() const {
    return partition(blocks(), static_cast<double>(std::min(rows, ProductBlock::rows)) *
                                   static_cast<double>(std::min(columns, ProductBlock::columns)) *
                                   static_cast<double>(depth));
  }
  Place place(std::size_t block) const;
};

/// One block: pack_a(row, depth, count, to) gives `count` elements of a row of the first factor
/// from that depth on; pack_b(depth, count, panel) so many rows of the second factor, of the
/// columns of the place; store(row, column, sum) takes each element, at its place in the product.
template <class PackA, class PackB, class Store>
void multiply_block(const ProductShape& shape, const ProductShape::Place& at, ProductBlock& block,
                    PackA&& pack_a, PackB&& pack_b, Store&& store) {
  block.clear();
  for (std::size_t k = 0; k < shape.depth; k += ProductBlock::depth) {
    const std::size_t count = std::min(ProductBlock::depth, shape.depth - k);
    for (std::size_t i = 0; i < at.rows; ++i) pack_a(at.row + i, k, count, block.a[i]);
    pack_b(k, count, block.b);
    for (std::size_t d = 0; d < count; ++d)
      for (std::size_t j = at.columns; j % 4; ++j) block.b[d][j] = 0;
    block.multiply(at.rows, at.columns, count);
  }
  for (std::size_t i = 0; i < at.rows; ++i)
    for (std::size_t j = 0; j < at.columns; ++j) store(at.row + i, at.column + j, block.sums[i][j]);
}

}  // namespace webnn::reference
