#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::softsign& op, const Node&) {
  return elementwise(op, [](const auto& x) { return x / (1 + x.abs()); });
}

}  // namespace webnn::inline v0_1::reference
