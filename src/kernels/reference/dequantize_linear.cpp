#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

/// The difference is exact, in float for small integers, where the product is rounded once; in
/// double the product is exact for scales of 24 bits but for the largest differences.
Candidate make(const ops::dequantizeLinear& op, const Node& node) {
  return dispatch_every_type<types::quantized>(op.input.dataType(), [&]<class X>() {
    using Real = std::conditional_t<sizeof(typename Elements<X>::Value) == 1, float, double>;
    return dispatch_type<types::floats>(op.scale.dataType(), [&]<class S>() {
      return array_kernel<S, Real, X, S, X>(
          [](auto x, auto scale, auto zero) { return (x - zero) * scale; }, 4, node.output(),
          op.input, op.scale, op.zeroPoint);
    });
  });
}

}  // namespace webnn::inline v0_1::reference
