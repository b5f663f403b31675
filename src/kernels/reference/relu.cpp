#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::relu& op, const Node&) {  // NaN stays NaN
  return elementwise<input_types<ops::relu>>(op.input,
                                             [](const auto& x) { return (x < 0).select(0, x); });
}

}  // namespace

Table<ops::ReluSection> kernels(ops::ReluSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
