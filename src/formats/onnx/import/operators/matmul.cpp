// Products of matrices.
#include "src/formats/onnx/import/call.h"

namespace webnn::onnx {
namespace {

/// As numpy: a vector on the left is a row, one on the right a column, which the result loses.
void matmul(Call& c) {
  MLOperand a = c.x(0), d = c.x(1);
  c.require_floats(a);
  if (a.rank() == 0 || d.rank() == 0) c.refuse(fail("an operand is a scalar"));
  const bool row = a.rank() == 1, column = d.rank() == 1;
  if (row) a = c.reshaped(a, {1, a.shape()[0]});
  if (column) d = c.reshaped(d, {d.shape()[0], 1});
  MLOperand y = c.b.matmul(a, d, {.label = c.label()});
  Dims shape = y.shape();
  if (column) shape.pop_back();
  if (row) shape.erase(shape.end() - (column ? 1 : 2));
  c.put(c.reshaped(y, shape));
}

void gemm(Call& c) {
  const MLOperand a = c.x(0), d = c.x(1);
  c.require_floats(a);
  MLGemmOptions o{.alpha = c.real("alpha", 1),
                  .beta = c.real("beta", 1),
                  .aTranspose = c.integer("transA", 0) != 0,
                  .bTranspose = c.integer("transB", 0) != 0,
                  .label = c.label()};
  if (c.version() < 7) c.ignore("broadcast");  // the shape of C says it
  o.c = c.optional(2);
  c.put(c.b.gemm(a, d, o));
}

MLOperand transposed(Call& c, const MLOperand& x) {
  Dims order;
  for (std::uint32_t i = 0; i < x.rank(); ++i) order.push_back(i);
  std::swap(order[x.rank() - 1], order[x.rank() - 2]);
  return c.b.transpose(x, {.permutation = order});
}

/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md: FusedMatMul
void fused_matmul(Call& c) {
  MLOperand a = c.x(0), d = c.x(1);
  if (c.integer("transBatchA", 0) != 0 || c.integer("transBatchB", 0) != 0)
    c.unsupported("transBatchA and transBatchB");
  if (a.rank() < 2 || d.rank() < 2) c.unsupported("an operand of rank 1");
  if (c.integer("transA", 0) != 0) a = transposed(c, a);
  if (c.integer("transB", 0) != 0) d = transposed(c, d);
  const MLOperand y = c.b.matmul(a, d, {.label = c.label()});
  const double alpha = c.real("alpha", 1);
  c.put(alpha == 1 ? y : c.b.mul(y, c.scalar_like(y, alpha)));
}

constexpr Handler handlers[] = {
    {"Gemm", &gemm, 1, 2, 3, 1, "floats"},
    {"MatMul", &matmul, 1, 2, 2, 1, "floats"},
    {"FusedMatMul", &fused_matmul, 1, 2, 2, 1, "without transBatchA and transBatchB",
     "com.microsoft"},
};

}  // namespace

std::span<const Handler> matmul_handlers() { return handlers; }

}  // namespace webnn::onnx
