#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::hardSwish& op, const Node&) {  // NaN stays NaN: it is a factor, too
  return elementwise(op, [](const auto& x) { return x * ((x + 3).max(0).min(6) / 6); });
}

}  // namespace webnn::inline v0_1::reference
