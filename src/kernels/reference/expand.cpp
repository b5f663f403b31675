#include "src/kernels/reference/copy.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::expand& op, const Node& node) {
  const MLOperand& y = node.output();
  return strided_copy(y, broadcast_strides(op.input.shape(), y.shape()));
}

}  // namespace

Table<ops::ExpandSection> kernels(ops::ExpandSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
