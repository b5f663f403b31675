// Products of matrices.
#include "src/formats/executorch/import/kernels.h"

namespace webnn::inline v0_1::executorch {
namespace {

MLOperand matmul(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  return b.matmul(c.x(0), c.x(1));
}

/// beta * self + alpha * mat1 mat2
MLOperand addmm(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  return b.gemm(c.x(1), c.x(2), {.c = c.x(0), .alpha = c.number(4), .beta = c.number(3)});
}

/// The weights have a row for each output.
MLOperand linear(const KernelCall& c) {
  MLGraphBuilder& b = c.b;
  const MLOperand weights = c.x(1);
  if (weights.rank() != 2) c.refuse(fail("its weights have rank {}", weights.rank()));
  const MLOperand y = b.matmul(c.x(0), b.transpose(weights, {.permutation = Dims{1, 0}}));
  const auto bias = c.optional(2);
  return bias ? b.add(y, *bias) : y;
}

constexpr KernelRow rows[] = {
    {"aten::mm.out", &matmul},
    {"aten::bmm.out", &matmul},
    {"aten::addmm.out", &addmm},
    {"aten::linear.out", &linear},
};

}  // namespace

std::span<const KernelRow> product_kernels() { return rows; }

}  // namespace webnn::inline v0_1::executorch
