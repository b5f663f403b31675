// The tiles of a product, and the operands of a tile.
#pragma once

#include "src/kernels/common/partition.h"
#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/product/product.h"

namespace webnn::inline v0_1::simd {

/// A tile is a part of the rows and of the vector columns of one matrix of the result. Consecutive
/// tiles have consecutive rows.
struct ProductTiles {
  Partition rows{}, columns{};
  std::size_t batches = 1;

  std::size_t row_tiles() const { return static_cast<std::size_t>(rows.tiles()); }
  std::size_t column_tiles() const { return static_cast<std::size_t>(columns.tiles()); }
  int count() const { return static_cast<int>(batches * row_tiles() * column_tiles()); }

  struct Span {
    std::size_t batch;
    int first_row, last_row, first_column, last_column;
  };
  /// f(span) for the tiles of a range, joined to as few spans as possible: rows of one part of the
  /// columns, and with `joins_columns` parts of the columns with all rows.
  template <class F> void for_spans(Range r, F f, bool joins_columns = false) const {
    auto at = static_cast<std::size_t>(r.begin);
    const auto end = static_cast<std::size_t>(r.end);
    const auto edge = [](const Partition& c, std::size_t i) {
      return static_cast<int>(std::min(c.count, i * c.each));
    };
    while (at < end) {
      const std::size_t outer = at / row_tiles(), row = at % row_tiles();
      const std::size_t batch = outer / column_tiles(), column = outer % column_tiles();
      const std::size_t whole = joins_columns && row == 0
                                    ? std::min((end - at) / row_tiles(), column_tiles() - column)
                                    : 0;
      const std::size_t last_row = whole ? row_tiles() : std::min(row_tiles(), row + end - at);
      const std::size_t last_column = column + std::max<std::size_t>(1, whole);
      f(Span{batch, edge(rows, row), edge(rows, last_row), edge(columns, column),
             edge(columns, last_column)});
      at += whole ? whole * row_tiles() : last_row - row;
    }
  }
};

/// For weights in panels. Columns are counted in groups. Weights that do not stay in L2 are cut
/// between threads by columns, so that each thread reads its part of them alone.
ProductTiles tiles_of(const Product& p, const PanelLayout& layout);

/// The operands of one matrix of the result.
struct Operands {
  const float *a, *b, *c, *residual;
  float* y;
};
Operands operands(const Product& p, const Buffers& u, std::size_t batch);

/// y = scale * c for the columns [first, last) of the rows of the span, to which the product is
/// then added.
void fill_with_c(const Product& p, const ProductTiles::Span& s, std::size_t first, std::size_t last,
                 const float* c, float* y);
/// The same for the groups of the span.
void fill_with_c(const Product& p, const ProductTiles::Span& s, const PanelLayout& layout,
                 const float* c, float* y);

/// What copies rows of a, whose stride is a_row, or a_k when they are columns, to scratch.
decltype(PanelRows::copy) copy_of_rows(const Product& p);

/// The rows of the result, if they may lie apart: what is added to them does not.
std::size_t row_of(const Product& p);

/// The kernel with its tiles, its epilogue's name, and the input that its result may take over.
Candidate finished(const Product& p, const ProductTiles& t, Candidate k);

}  // namespace webnn::inline v0_1::simd
