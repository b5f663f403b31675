#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

/// exp never overflows: its argument is not positive.
Kernel make(const ops::sigmoid& op, const Node&) {
  return elementwise<input_types<ops::sigmoid>>(op.input, each([](auto v) {
                                                  const auto e = std::exp(-std::abs(v));
                                                  return (v < 0 ? e : 1) / (1 + e);
                                                }),
                                                40);
}

}  // namespace

Table<ops::SigmoidSection> kernels(ops::SigmoidSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
