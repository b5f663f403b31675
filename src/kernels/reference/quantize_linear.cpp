#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {
namespace {

/// In double, where a quotient of two floats that is not halfway between integers does not become
/// so, and the limits of every type are exact. NaN gives the zero point.
template <class Y, class A> auto quantized(const A& x, const A& scale, const A& zero) {
  using Block = Eigen::Array<double, Eigen::Dynamic, 1, 0, 1024, 1>;
  const Block v = (x / scale).rint() + zero;
  return Block((v != v).select(zero, v).max(double{Y::lowest}).min(double{Y::highest}));
}

}  // namespace

Candidate make(const ops::quantizeLinear& op, const Node& node) {
  return dispatch_type<types::floats>(op.input.dataType(), [&]<class X>() {
    return dispatch_type<types::quantized>(op.zeroPoint.dataType(), [&]<class Y>() {
      return array_kernel<Y, double, X, X, Y>(
          [](auto x, auto scale, auto zero) { return quantized<Elements<Y>>(x, scale, zero); }, 8,
          node.output(), op.input, op.scale, op.zeroPoint);
    });
  });
}

}  // namespace webnn::inline v0_1::reference
