#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::hardSigmoid& op, const Node&) {
  const double alpha = coefficient(op.options.alpha, op.input);
  const double beta = coefficient(op.options.beta, op.input);
  return elementwise<input_types<ops::hardSigmoid>>(op.input, each([alpha, beta](auto v) {
                                                      const double y = alpha * v + beta;
                                                      return y < 0 ? 0 : y > 1 ? 1 : y;
                                                    }));
}

}  // namespace

Table<ops::HardSigmoidSection> kernels(ops::HardSigmoidSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
