#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::hardSwish& op, const Node&) {  // NaN stays NaN: it is a factor, too
  return elementwise<input_types<ops::hardSwish>>(
      op.input, [](const auto& x) { return x * ((x + 3).max(0).min(6) / 6); });
}

}  // namespace

Table<ops::HardSwishSection> kernels(ops::HardSwishSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
