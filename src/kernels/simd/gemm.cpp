#include "src/kernels/common/convolution.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/product/product.h"

namespace webnn::inline v0_1::simd {
namespace {

/// c is added as a bias if it is constant and the same for all rows, as a residual if it has the
/// shape of the result, else the result is filled with it before the product.
void add_c(const ops::gemm& op, Product& p) {
  const MLOperand& c = *op.options.c;
  const auto beta = static_cast<float>(op.options.beta);
  const Dims& shape = c.shape();
  const std::uint32_t columns = shape.empty() ? 1 : shape.back();
  const std::uint32_t rows = shape.size() < 2 ? 1 : shape[0];
  const auto slot = static_cast<std::size_t>(webnn::slot<&MLGemmOptions::c>(op));
  const bool all_rows = rows == 1, all_columns = columns == static_cast<std::uint32_t>(p.columns);
  if (c.constant() && all_rows && all_columns) {
    p.bias = values_of(c, static_cast<int>(slot));
    p.bias_scale = beta;
  } else if (p.epilogue.residual < 0 && beta == 1 && all_columns &&
             rows == static_cast<std::uint32_t>(p.rows)) {
    p.epilogue.residual = static_cast<int>(slot);
  } else {
    p.c = {slot, all_rows ? 0 : std::size_t{columns}, columns == 1 ? 0u : 1u, beta};
  }
}

}  // namespace

std::variant<Product, Refusal> product_of(const ops::gemm& op, Chain chain) {
  const auto stages = stages_of(chain);
  if (!stages || stages->size() > 1)
    return Refusal{"only a sum and an activation can follow a product"};
  const MLGemmOptions& o = op.options;
  const Dims &a = op.a.shape(), &b = op.b.shape(), &y = chain.front().output().shape();
  Product p{.rows = static_cast<int>(y[0]),
            .columns = static_cast<int>(y[1]),
            .k = a[o.aTranspose ? 0 : 1]};
  p.a_row = o.aTranspose ? 1 : a[1];
  p.a_k = o.aTranspose ? a[1] : 1;
  p.b_k = o.bTranspose ? 1 : b[1];
  p.b_column = o.bTranspose ? b[1] : 1;
  p.b_slot = slot<&ops::gemm::b>(op);
  if (op.b.constant()) p.b = values_of(op.b, p.b_slot);
  p.alpha = static_cast<float>(o.alpha);
  p.epilogue = stages->front().epilogue;
  if (o.c) add_c(op, p);
  return p;
}

Lowering lower_gemm(Chain chain, const Options& options) {
  auto product = product_of(*chain.front().as<ops::gemm>(), chain);
  if (const auto* refusal = std::get_if<Refusal>(&product)) return *refusal;
  Product& p = std::get<Product>(product);
  p.bfloat16 = options.bfloat16;
  return lower_product(p);
}

}  // namespace webnn::inline v0_1::simd
