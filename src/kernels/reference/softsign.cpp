#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::softsign& op, const Node&) {
  return elementwise<input_types<ops::softsign>>(op.input,
                                                 [](const auto& x) { return x / (1 + x.abs()); });
}

}  // namespace

Table<ops::SoftsignSection> kernels(ops::SoftsignSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
