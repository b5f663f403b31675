#include "src/kernels/common/loop.h"
#include "src/kernels/reference/elementwise.h"
#include "src/kernels/reference/matrix.h"

namespace webnn::reference {
namespace {

struct Factors {
  double alpha, beta;
  int c;  // its input, -1 when absent
  std::size_t c_down, c_across;
};

template <class T>
void run(const ops::gemm& op, const ProductShape& shape, const Factors& f, const Partition& c,
         Range r, const Buffers& b, std::byte* scratch) {
  const auto matrix = [](const T* data, std::size_t columns, bool transposed) {
    return transposed ? Matrix<T>{data, 1, columns} : Matrix<T>{data, columns, 1};
  };
  const bool at = op.options.aTranspose, bt = op.options.bTranspose;
  const Matrix<T> ma = matrix(b.in<T>(0), at ? shape.rows : shape.depth, at);
  const Matrix<T> mb = matrix(b.in<T>(1), bt ? shape.depth : shape.columns, bt);
  const T* add = f.c < 0 ? nullptr : b.in<T>(static_cast<std::size_t>(f.c));
  T* y = b.out<T>();
  auto& block = *reinterpret_cast<ProductBlock*>(scratch);
  for (std::size_t i = c.begin(r); i < c.end(r); ++i)
    multiply_matrices(
        shape, shape.place(i), block, ma, mb, [&](std::size_t row, std::size_t column, double sum) {
          double v = f.alpha * sum;
          if (add) v += f.beta * static_cast<Compute<T>>(add[row * f.c_down + column * f.c_across]);
          y[row * shape.columns + column] = static_cast<T>(static_cast<float>(v));
        });
}

Kernel make(const ops::gemm& op, const Node& node) {
  const MLGemmOptions& o = op.options;
  const Dims& y = node.output().shape();
  const ProductShape shape{1, y[0], y[1], op.a.shape()[o.aTranspose ? 0 : 1]};
  Factors f{coefficient(o.alpha, op.a), coefficient(o.beta, op.a), slot<&MLGemmOptions::c>(op), 0,
            0};
  if (o.c) {
    const auto strides = broadcast_strides(o.c->shape(), y);
    f.c_down = static_cast<std::size_t>(strides[0]);
    f.c_across = static_cast<std::size_t>(strides[1]);
  }
  const Partition c = shape.cut_blocks();
  Kernel k{.name = "product", .tiles = c.tiles(), .scratch = sizeof(ProductBlock)};
  k.run = dispatch_type<types::floats>(op.a.dataType(), [&]<class T>() -> decltype(k.run) {
    return [&op, shape, f, c](Range r, const Buffers& b, std::byte* scratch) {
      run<T>(op, shape, f, c, r, b, scratch);
    };
  });
  return k;
}

}  // namespace

Table<ops::GemmSection> kernels(ops::GemmSection) {
  return table<ops::GemmSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
