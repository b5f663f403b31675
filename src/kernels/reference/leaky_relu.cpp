#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::leakyRelu& op, const Node&) {
  const auto alpha = static_cast<float>(coefficient(op.options.alpha, op.input));
  return elementwise<input_types<ops::leakyRelu>>(
      op.input, [alpha](const auto& x) { return (x < 0).select(alpha * x, x); });
}

}  // namespace

Table<ops::LeakyReluSection> kernels(ops::LeakyReluSection) {
  return table<ops::LeakyReluSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
