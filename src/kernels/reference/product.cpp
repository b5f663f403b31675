#include "src/kernels/reference/product.h"

namespace webnn::inline v0_1::reference {

void ProductBlock::clear(std::size_t r, std::size_t c) { sums.by_row(r, c).setZero(); }

void ProductBlock::multiply(std::size_t r, std::size_t c, std::size_t d) {
  const auto times_b = [&](const auto& factor) {
    if (b.rows_first) sums.by_row(r, c).noalias() += factor * b.by_row(d, c);
    else sums.by_row(r, c).noalias() += factor * b.by_column(d, c);
  };
  if (a.rows_first) times_b(a.by_row(r, d));
  else times_b(a.by_column(r, d));
}

Partition ProductShape::partition_blocks() const {
  return partition(blocks(),
                   static_cast<double>(std::min<std::size_t>(rows, ProductBlock::rows)) *
                       static_cast<double>(std::min<std::size_t>(columns, ProductBlock::columns)) *
                       static_cast<double>(depth));
}

ProductShape::Location ProductShape::location(std::size_t block) const {
  const std::size_t across = block % blocks_across() * ProductBlock::columns;
  block /= blocks_across();
  const std::size_t down = block % blocks_down() * ProductBlock::rows;
  return {block / blocks_down(), down, std::min<std::size_t>(ProductBlock::rows, rows - down),
          across, std::min<std::size_t>(ProductBlock::columns, columns - across)};
}

}  // namespace webnn::inline v0_1::reference
