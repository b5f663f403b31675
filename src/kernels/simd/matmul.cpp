#include "src/kernels/common/convolution.h"
#include "src/kernels/common/slot.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/product/product.h"

namespace webnn::inline v0_1::simd {

std::variant<Product, Refusal> product_of(const ops::matmul& op, Chain chain) {
  const auto stages = stages_of(chain);
  if (!stages || stages->size() > 1)
    return Refusal{"only a sum and an activation can follow a product"};
  const Dims &a = op.a.shape(), &b = op.b.shape(), &y = chain.front().output().shape();
  const Dims batches(y.begin(), y.end() - 2);
  const std::size_t inner = a.back();
  Product p{.rows = static_cast<int>(y.end()[-2]),
            .columns = static_cast<int>(y.back()),
            .k = inner,
            .a_row = inner,
            .b_k = y.back()};
  const std::uint64_t count = element_count(batches),
                      b_matrices = element_count(b) / (inner * y.back());
  if (b_matrices == 1 && element_count(a) == count * static_cast<std::uint64_t>(p.rows) * inner) {
    p.rows = static_cast<int>(count * static_cast<std::uint64_t>(p.rows));  // one tall matrix
  } else {
    p.batches = batches_of(batches, a, b);
  }
  p.b_matrices = b_matrices;
  p.b_slot = slot<&ops::matmul::b>(op);
  if (op.b.constant()) p.b = values_of(op.b, p.b_slot);
  p.epilogue = stages->front().epilogue;
  return p;
}

Lowering lower_matmul(Chain chain, const Options& options) {
  auto product = product_of(*chain.front().as<ops::matmul>(), chain);
  if (const auto* refusal = std::get_if<Refusal>(&product)) return *refusal;
  Product& p = std::get<Product>(product);
  p.bfloat16 = options.bfloat16;
  return lower_product(p);
}

}  // namespace webnn::inline v0_1::simd
