#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::relu& op, const Node&) {  // NaN stays NaN
  return elementwise(op, [](const auto& x) { return (x < 0).select(0, x); });
}

}  // namespace webnn::inline v0_1::reference
