#include "src/graph/fused/swish.h"

#include "src/graph/fused/composer.h"

namespace webnn::inline v0_1::fused {

Result<ops::Shapes> infer(const swish& op) { return composed_shapes(op); }

MLOperand compose(const swish& op, Composer& to) {
  const MLOperand factor = to.add(ops::sigmoid{op.input});
  ops::mul product{op.input, factor, {.label = op.options.label}};
  if (op.options.sigmoidFirst) std::swap(product.a, product.b);
  return to.add(std::move(product));
}

}  // namespace webnn::inline v0_1::fused
