#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::leakyRelu& op, const Node&) {
  const auto alpha = static_cast<float>(coefficient(op.options.alpha, op.input));
  return elementwise<input_types<ops::leakyRelu>>(op.input, each([alpha](auto v) {
                                                    const auto scaled =
                                                        alpha * v;  // before the choice: no branch
                                                    return v < 0 ? scaled : v;
                                                  }));
}

}  // namespace

Table<ops::LeakyReluSection> kernels(ops::LeakyReluSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
