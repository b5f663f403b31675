#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::linear& op, const Node&) {
  const double alpha = coefficient(op.options.alpha, op.input);
  const double beta = coefficient(op.options.beta, op.input);
  return elementwise(
      op, [alpha, beta](const auto& x) { return alpha * x.template cast<double>() + beta; });
}

}  // namespace webnn::inline v0_1::reference
