#include "src/kernels/common/loop.h"
#include "src/kernels/reference/elementwise.h"
#include "src/kernels/reference/product.h"

namespace webnn::inline v0_1::reference {
namespace {

struct Gemm {
  ProductShape shape;
  bool a_transposed, b_transposed;
  double alpha, beta;
  int c;  // its input, -1 when absent
  std::size_t c_down = 0, c_across = 0;

  template <class T>
  void run(const ProductShape::Location& at, const Buffers& b, ProductBlock& block) const {
    const auto matrix = [](const T* data, std::size_t rows, std::size_t columns, bool transposed) {
      return transposed ? Matrix<T>{data, 1, rows} : Matrix<T>{data, columns, 1};
    };
    const T* add = c < 0 ? nullptr : b.in<T>(static_cast<std::size_t>(c));
    multiply_matrices(shape, at, block, matrix(b.in<T>(0), shape.rows, shape.depth, a_transposed),
                      matrix(b.in<T>(1), shape.depth, shape.columns, b_transposed),
                      [&](std::size_t row, std::size_t column, const auto& sums) {
                        T* y = b.out<T>() + row * shape.columns + column;
                        if (!add) return store(alpha * sums, y);
                        const T* from = add + row * c_down + column * c_across;
                        if (c_across == 0) return store(alpha * sums + beta * wide(*from), y);
                        store(alpha * sums + beta * array<double>(from, at.columns), y);
                      });
  }
};

}  // namespace

Candidate make(const ops::gemm& op, const Node& node) {
  const MLGemmOptions& o = op.options;
  const Dims& y = node.output().shape();
  Gemm gemm{{1, y[0], y[1], op.a.shape()[o.aTranspose ? 0 : 1]},
            o.aTranspose,
            o.bTranspose,
            coefficient(o.alpha, op.a),
            coefficient(o.beta, op.a),
            slot<&MLGemmOptions::c>(op)};
  if (o.c) {
    const auto strides = broadcast_strides(o.c->shape(), y);
    gemm.c_down = static_cast<std::size_t>(strides[0]);
    gemm.c_across = static_cast<std::size_t>(strides[1]);
  }
  return product_kernel(gemm, op.a.dataType());
}

}  // namespace webnn::inline v0_1::reference
