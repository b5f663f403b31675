#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

/// It is computed in double and by the complement of erf: 1 + erf(v) would cancel for negative v.
/// For -infinity it is the limit.
Candidate make(const ops::gelu& op, const Node&) {
  return elementwise(op, each([](auto v) {
                       constexpr double root_half = 0.70710678118654752440;
                       const double tail = std::erfc(-root_half * v);
                       return tail > 0 ? 0.5 * v * tail : v == v ? -0.0 : v;
                     }),
                     80);
}

}  // namespace webnn::inline v0_1::reference
