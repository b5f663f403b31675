#include "src/formats/common/tanh_gelu.h"

#include <cmath>
#include <numbers>

namespace webnn::inline v0_1::formats {

MLOperand tanh_gelu(MLGraphBuilder& b, const MLOperand& x, const MLOperatorOptions& options) {
  const MLOperand cube = b.mul(b.mul(x, x), x);
  const MLOperand inner = b.add(x, b.linear(cube, {.alpha = 0.044715}));
  const MLOperand t = b.tanh(b.linear(inner, {.alpha = std::sqrt(2 / std::numbers::pi)}));
  return b.mul(x, b.linear(t, {.alpha = 0.5, .beta = 0.5}), options);
}

}  // namespace webnn::inline v0_1::formats
