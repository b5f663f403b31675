#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

/// In double, 1 + e has the digits of a float until ln(1 + e) is e.
Candidate make(const ops::softplus& op, const Node&) {
  return elementwise(op, each([](auto v) {
                       const auto e = std::exp(-std::abs(v));
                       return (v > 0 ? v : 0) + (e < 1e-8F ? e : std::log(1 + double{e}));
                     }),
                     40);
}

}  // namespace webnn::inline v0_1::reference
