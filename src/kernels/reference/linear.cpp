#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::linear& op, const Node&) {
  const double alpha = coefficient(op.options.alpha, op.input);
  const double beta = coefficient(op.options.beta, op.input);
  return elementwise<input_types<ops::linear>>(
      op.input, [alpha, beta](const auto& x) { return alpha * x.template cast<double>() + beta; });
}

}  // namespace

Table<ops::LinearSection> kernels(ops::LinearSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
