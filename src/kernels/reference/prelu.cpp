#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::prelu& op,
               const Node& node) {  // NaN stays NaN; products of integers wrap
  const auto f = each([](auto x, auto slope) {
    using T = decltype(x);
    const auto scaled =  // before the choice: no branch
        static_cast<T>(static_cast<Wrapping<T>>(slope) * static_cast<Wrapping<T>>(x));
    return x < 0 ? scaled : x;
  });
  return elementwise<input_types<ops::prelu>>(f, 4, node.output(), op.input, op.slope);
}

}  // namespace webnn::inline v0_1::reference
