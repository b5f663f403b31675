#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::softsign& op, const Node&) {
  return elementwise<input_types<ops::softsign>>(op.input,
                                                 [](auto v) { return v / (1 + std::abs(v)); });
}

}  // namespace

Table<ops::SoftsignSection> kernels(ops::SoftsignSection) {
  return table<ops::SoftsignSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
