// Products of matrices.
#include "src/formats/onnx/import/fused_activation.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// Numpy's rule: a vector on the left is a row, one on the right a column, which the result loses.
void matmul(Call& c) {
  MLOperand a = c.x(0), d = c.x(1);
  c.require_floats(a);
  if (a.rank() == 0 || d.rank() == 0) c.refuse(fail("an operand is a scalar"));
  const bool row = a.rank() == 1, column = d.rank() == 1;
  if (row) a = c.reshaped(a, {1, Size::dimension(a, 0)});
  if (column) d = c.reshaped(d, {Size::dimension(d, 0), 1});
  const MLOperand y = c.b.matmul(a, d, {.label = c.label()});
  SizeList shape = formats::sizes_of(y);
  if (column) shape.pop_back();
  if (row) shape.erase(shape.end() - (column ? 1 : 2));
  c.put(c.reshaped(y, shape));
}

MLOperand product_and_sum(Call& c) {
  const MLOperand a = c.x(0), d = c.x(1);
  c.require_floats(a);
  MLGemmOptions o{.alpha = c.real("alpha", 1),
                  .beta = c.real("beta", 1),
                  .aTranspose = c.integer("transA", 0) != 0,
                  .bTranspose = c.integer("transB", 0) != 0,
                  .label = c.label()};
  if (c.version() < 7 && c.node().domain.empty()) c.ignore("broadcast");  // the shape of C says it
  o.c = c.optional(2);
  return c.b.gemm(a, d, o);
}
void gemm(Call& c) { c.put(product_and_sum(c)); }

/// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md: FusedGemm
void fused_gemm(Call& c) {
  const MLOperand y = product_and_sum(c);
  std::vector<double> parameters;
  for (std::string_view name : {"activation_alpha", "activation_beta"})
    if (c.has_attribute(name)) parameters.push_back(c.real(name, 0));
  c.put(with_activation(c, y, parameters));
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
    {"FusedGemm", &fused_gemm, 1, 2, 3, 1, "as Gemm", "com.microsoft"},
    {"FusedMatMul", &fused_matmul, 1, 2, 2, 1, "without transBatchA and transBatchB",
     "com.microsoft"},
};

}  // namespace

std::span<const Handler> matmul_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
