#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

/// exp never overflows: its argument is not positive.
Candidate make(const ops::sigmoid& op, const Node&) {
  return elementwise(op, each([](auto v) {
                       const auto e = std::exp(-std::abs(v));
                       return (v < 0 ? e : 1) / (1 + e);
                     }),
                     40);
}

}  // namespace webnn::inline v0_1::reference
