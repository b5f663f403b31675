#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::elu& op, const Node&) {
  const auto alpha = static_cast<float>(coefficient(op.options.alpha, op.input));
  return elementwise(op, each([alpha](auto v) { return v < 0 ? alpha * std::expm1(v) : v; }), 40);
}

}  // namespace webnn::inline v0_1::reference
