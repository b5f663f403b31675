#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::leakyRelu& op, const Node&) {
  const auto alpha = static_cast<float>(coefficient(op.options.alpha, op.input));
  return elementwise(op, each([alpha](auto v) {
                       const auto scaled = alpha * v;  // before the choice: no branch
                       return v < 0 ? scaled : v;
                     }));
}

}  // namespace webnn::inline v0_1::reference
