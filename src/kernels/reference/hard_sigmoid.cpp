#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::hardSigmoid& op, const Node&) {
  const double alpha = coefficient(op.options.alpha, op.input);
  const double beta = coefficient(op.options.beta, op.input);
  return elementwise<input_types<ops::hardSigmoid>>(op.input, [alpha, beta](auto v) {
    double y = alpha * v + beta;
    y = y > 1 ? 1 : y;
    return y < 0 ? 0 : y;
  });
}

}  // namespace

Table<ops::HardSigmoidSection> kernels(ops::HardSigmoidSection) {
  return table<ops::HardSigmoidSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
