#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {
namespace {

/// In double, where the limits of every type are exact, and for 32 bits large quotients lose
/// nothing. Quotients for fewer bits are rounded to float32, as div() and ONNX Runtime round them.
/// NaN gives the zero point.
/// The number of float8e4m3 that is nearest to the quotient, which is rounded to float32, and the
/// zero point. Larger ones become 448, and NaN stays.
struct Float8 {
  template <class A> auto operator()(const A& x, const A& scale, const A& zero) const {
    return ((x / scale).template cast<float>() + zero.template cast<float>()).eval();
  }
};

template <class Y, class A> auto quantized(const A& x, const A& scale, const A& zero) {
  using Block = Eigen::Array<double, Eigen::Dynamic, 1, 0, 1024, 1>;
  const auto rounded = [&] {
    if constexpr (sizeof(typename Y::Value) > 1) return Block((x / scale).rint());
    else return Block((x / scale).template cast<float>().template cast<double>().rint());
  };
  const Block v = rounded() + zero;
  return Block((v != v).select(zero, v).max(double{Y::lowest}).min(double{Y::highest}));
}

}  // namespace

Candidate make(const ops::quantizeLinear& op, const Node& node) {
  return dispatch_type<types::floats>(op.input.dataType(), [&]<class X>() {
    if (op.zeroPoint.dataType() == float8e4m3)
      return array_kernel<Float8E4M3, double, X, X, Float8E4M3>(Float8(), 8, node.output(),
                                                                op.input, op.scale, op.zeroPoint);
    return dispatch_type<types::quantized>(op.zeroPoint.dataType(), [&]<class Y>() {
      return array_kernel<Y, double, X, X, Y>(
          [](auto x, auto scale, auto zero) { return quantized<Elements<Y>>(x, scale, zero); }, 8,
          node.output(), op.input, op.scale, op.zeroPoint);
    });
  });
}

}  // namespace webnn::inline v0_1::reference
