#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

/// In double the difference is exact, and so, for scales of 24 bits, is the product but for the
/// largest differences.
Kernel make(const ops::dequantizeLinear& op, const Node& node) {
  return dispatch_type<types::quantized>(op.input.dataType(), [&]<class X>() {
    return dispatch_type<types::floats>(op.scale.dataType(), [&]<class S>() {
      return array_kernel<S, double, X, S, X>(
          [](auto x, auto scale, auto zero) { return (x - zero) * scale; }, 4, node.output(),
          op.input, op.scale, op.zeroPoint);
    });
  });
}

}  // namespace

Table<ops::DequantizeLinearSection> kernels(ops::DequantizeLinearSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
