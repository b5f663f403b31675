#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {
namespace {

/// NaN gives the zero point.
template <class Y, class Real, class A> auto quantized(const A& x, const A& scale, const A& zero) {
  using Block = Eigen::Array<Real, Eigen::Dynamic, 1, 0, 1024, 1>;
  const Block v = (x / scale).rint() + zero;
  return Block((v != v).select(zero, v).max(Real{Y::lowest}).min(Real{Y::highest}));
}

}  // namespace

Candidate make(const ops::quantizeLinear& op, const Node& node) {
  return dispatch_type<types::floats>(op.input.dataType(), [&]<class X>() {
    return dispatch_type<types::quantized>(op.zeroPoint.dataType(), [&]<class Y>() {
      // Quotients are rounded to float32, as div() rounds them, and ONNX Runtime. For 32 bits they
      // are doubles, so that the limits are exact and large quotients lose nothing.
      using Real = std::conditional_t<sizeof(typename Elements<Y>::Value) == 1, float, double>;
      return array_kernel<Y, Real, X, X, Y>(
          [](auto x, auto scale, auto zero) {
            return quantized<Elements<Y>, Real>(x, scale, zero);
          },
          8, node.output(), op.input, op.scale, op.zeroPoint);
    });
  });
}

}  // namespace webnn::inline v0_1::reference
