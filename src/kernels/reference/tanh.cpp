#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::tanh& op, const Node&) {
  return elementwise<input_types<ops::tanh>>(op.input, each([](auto v) { return std::tanh(v); }),
                                             60);
}

}  // namespace

Table<ops::TanhSection> kernels(ops::TanhSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
