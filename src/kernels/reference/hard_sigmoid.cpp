#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::hardSigmoid& op, const Node&) {
  const double alpha = coefficient(op.options.alpha, op.input);
  const double beta = coefficient(op.options.beta, op.input);
  return elementwise(op, each([alpha, beta](auto v) {
                       const double y = alpha * v + beta;
                       return y < 0 ? 0 : y > 1 ? 1 : y;
                     }));
}

}  // namespace webnn::inline v0_1::reference
