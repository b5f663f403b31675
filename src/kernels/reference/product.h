// Products of matrices in blocks, summed in double: what gemm, matmul, the convolutions and the
// recurrent networks have in common.
#pragma once

#include "src/kernels/reference/array.h"
#include "src/kernels/reference/kernels.h"

namespace webnn::inline v0_1::reference {

/// A matrix in memory: strides in elements, one of which is 1.
template <class T> struct Matrix {
  const T* data;
  std::size_t down, across;
};

/// A part of a factor as doubles, by rows or by columns.
template <int Rows, int Columns> struct Panel {
  template <int Order> using Order_ = Eigen::Matrix<double, -1, -1, Order, Rows, Columns>;
  using ByRow = Eigen::Map<Order_<Eigen::RowMajor>, 0, Eigen::OuterStride<Columns>>;
  using ByColumn = Eigen::Map<Order_<Eigen::ColMajor>, 0, Eigen::OuterStride<Rows>>;

  double data[Rows * Columns];
  bool rows_first;

  ByRow by_row(std::size_t r, std::size_t c) { return {data, Index(r), Index(c)}; }
  ByColumn by_column(std::size_t r, std::size_t c) { return {data, Index(r), Index(c)}; }

  /// The r rows and c columns of a matrix from these on.
  template <class T>
  void load(const Matrix<T>& m, std::size_t row, std::size_t column, std::size_t r, std::size_t c) {
    const T* from = m.data + row * m.down + column * m.across;
    const auto copy = [&]<int Order>(auto panel, std::size_t stride,
                                     std::integral_constant<int, Order>) {
      using Stored = Eigen::Map<const Eigen::Matrix<T, -1, -1, Order>, 0, Eigen::OuterStride<>>;
      panel =
          Stored(from, Index(r), Index(c), Eigen::OuterStride<>(Index(stride))).unaryExpr([](T v) {
            return wide(v);
          });
    };
    rows_first = m.across == 1;
    if (rows_first) copy(by_row(r, c), m.down, std::integral_constant<int, Eigen::RowMajor>());
    else copy(by_column(r, c), m.across, std::integral_constant<int, Eigen::ColMajor>());
  }
};

/// Memory for one block: a panel of each factor and the sums.
struct ProductBlock {
  static constexpr int rows = 64, columns = 64, depth = 128;

  Panel<rows, depth> a;
  Panel<depth, columns> b;
  Panel<rows, columns> sums;

  /// sums = 0 or sums += a * b, for the first so many of each.
  void clear(std::size_t r, std::size_t c);
  void multiply(std::size_t r, std::size_t c, std::size_t d);
  ConstArray<double> sums_of(std::size_t row, std::size_t column, std::size_t n) const {
    return {sums.data + row * columns + column, Index(n)};
  }
};

/// The blocks of `batch` products of [rows, depth] with [depth, columns].
struct ProductShape {
  std::size_t batch = 1, rows = 1, columns = 1, depth = 1;

  struct Location {
    std::size_t batch, row, rows, column, columns;
  };
  std::size_t blocks_down() const { return (rows + ProductBlock::rows - 1) / ProductBlock::rows; }
  std::size_t blocks_across() const {
    return (columns + ProductBlock::columns - 1) / ProductBlock::columns;
  }
  std::size_t blocks() const { return batch * blocks_down() * blocks_across(); }
  Partition partition_blocks() const;
  Location location(std::size_t block) const;
};

/// The sums of one block: pack_a(panel, depth, count) and pack_b(panel, depth, count) load `count`
/// columns of the first factor and as many rows of the second.
template <class PackA, class PackB>
void multiply_block(std::size_t depth, const ProductShape::Location& at, ProductBlock& block,
                    PackA&& pack_a, PackB&& pack_b) {
  block.clear(at.rows, at.columns);
  for (std::size_t k = 0; k < depth; k += ProductBlock::depth) {
    const std::size_t count = std::min<std::size_t>(ProductBlock::depth, depth - k);
    pack_a(block.a, k, count);
    pack_b(block.b, k, count);
    block.multiply(at.rows, at.columns, count);
  }
}

/// One block of a * b: store(row, column, sums) takes the sums of each row from that column on.
template <class A, class B, class Store>
void multiply_matrices(const ProductShape& shape, const ProductShape::Location& at,
                       ProductBlock& block, const Matrix<A>& a, const Matrix<B>& b, Store&& store) {
  multiply_block(
      shape.depth, at, block,
      [&](auto& panel, std::size_t k, std::size_t n) { panel.load(a, at.row, k, at.rows, n); },
      [&](auto& panel, std::size_t k, std::size_t n) {
        panel.load(b, k, at.column, n, at.columns);
      });
  for (std::size_t i = 0; i < at.rows; ++i)
    store(at.row + i, at.column, block.sums_of(i, 0, at.columns));
}

/// p.run<T>(place, buffers, block) for each block of the product p.shape of floats.
template <class P> Candidate product_kernel(const P& p, MLOperandDataType type) {
  const Partition c = p.shape.partition_blocks();
  return {.name = "eigen product",
          .tiles = c.tiles(),
          .scratch = sizeof(ProductBlock),
          .run = dispatch_type<types::floats>(type, [&]<class T>() -> Run {
            return [=](Range r, const Buffers& b, std::byte* scratch) {
              for (std::size_t i = c.begin(r); i < c.end(r); ++i)
                p.template run<T>(p.shape.location(i), b,
                                  *reinterpret_cast<ProductBlock*>(scratch));
            };
          })};
}

}  // namespace webnn::inline v0_1::reference
