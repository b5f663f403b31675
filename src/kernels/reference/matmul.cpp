#include "src/kernels/common/loop.h"
#include "src/kernels/reference/product.h"

namespace webnn::inline v0_1::reference {
namespace {

/// The batch dimensions of the result, and the strides of both factors in them.
Loop<2> batch_loop(const Dims& a, const Dims& b, const Dims& y) {
  const Dims batch(y.begin(), y.end() - 2);
  const auto strides = [&](const Dims& x) {
    auto s = broadcast_strides({x.begin(), x.end() - 2}, batch);
    for (auto& v : s) v *= static_cast<std::ptrdiff_t>(std::size_t{x.end()[-2]} * x.end()[-1]);
    return s;
  };
  return Loop<2>(batch, {strides(a), strides(b)});
}

struct Matmul {
  ProductShape shape;
  Loop<2> batch;

  template <class T>
  void run(const ProductShape::Location& at, const Buffers& b, ProductBlock& block) const {
    Matrix<T> x{b.in<T>(0), shape.depth, 1}, z{b.in<T>(1), shape.columns, 1};
    batch.run_elements(at.batch, at.batch + 1, [&](std::size_t, const auto& offsets, std::size_t) {
      x.data += offsets[0];
      z.data += offsets[1];
    });
    T* y = b.out<T>() + at.batch * shape.rows * shape.columns;
    multiply_matrices(shape, at, block, x, z,
                      [&](std::size_t row, std::size_t column, const auto& sums) {
                        store(sums, y + row * shape.columns + column);
                      });
  }
};

}  // namespace

Candidate make(const ops::matmul& op, const Node& node) {
  const Dims &a = op.a.shape(), &y = node.output().shape();
  ProductShape shape{1, y.end()[-2], y.end()[-1], a.end()[-1]};
  for (auto d = y.begin(); d != y.end() - 2; ++d) shape.batch *= *d;
  return product_kernel(Matmul{shape, batch_loop(a, op.b.shape(), y)}, op.a.dataType());
}

}  // namespace webnn::inline v0_1::reference
