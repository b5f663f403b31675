#include "src/graph/fused/swish.h"

#include "src/graph/fused/composer.h"

namespace webnn::inline v0_1::fused {

Result<ops::Shapes> infer(const swish& op) { return composed_shapes(op); }

MLOperand compose(const swish& op, Composer& to) {
  const MLOperand factor = to.add(ops::sigmoid{op.input});
  return to.add(ops::mul{op.input, factor, {.label = op.options.label}});
}

}  // namespace webnn::inline v0_1::fused
