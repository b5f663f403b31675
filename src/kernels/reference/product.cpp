#include "src/kernels/reference/product.h"

#include <cstring>

namespace webnn::reference {
namespace {

/// So many rows by 4 columns of the sums, held in registers.
template <std::size_t Rows>
void multiply_rows(ProductBlock& block, std::size_t row, std::size_t column, std::size_t depth) {
  double sums[Rows][4];
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < 4; ++j) sums[i][j] = block.sums[row + i][column + j];
  for (std::size_t k = 0; k < depth; ++k) {
    const double* b = &block.b[k][column];
    for (std::size_t i = 0; i < Rows; ++i)
      for (std::size_t j = 0; j < 4; ++j) sums[i][j] += block.a[row + i][k] * b[j];
  }
  for (std::size_t i = 0; i < Rows; ++i)
    for (std::size_t j = 0; j < 4; ++j) block.sums[row + i][column + j] = sums[i][j];
}

}  // namespace

void ProductBlock::clear() { std::memset(sums, 0, sizeof(sums)); }

void ProductBlock::multiply(std::size_t row_count, std::size_t column_count,
                            std::size_t depth_count) {
  for (std::size_t j = 0; j < column_count; j += 4) {
    std::size_t i = 0;
    for (; i + 4 <= row_count; i += 4) multiply_rows<4>(*this, i, j, depth_count);
    for (; i < row_count; ++i) multiply_rows<1>(*this, i, j, depth_count);
  }
}

ProductShape::Place ProductShape::place(std::size_t block) const {
  const std::size_t across = block % blocks_across() * ProductBlock::columns;
  block /= blocks_across();
  const std::size_t down = block % blocks_down() * ProductBlock::rows;
  return {block / blocks_down(), down, std::min(ProductBlock::rows, rows - down), across,
          std::min(ProductBlock::columns, columns - across)};
}

}  // namespace webnn::reference
