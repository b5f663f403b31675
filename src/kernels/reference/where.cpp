#include "src/kernels/reference/copy.h"
#include "src/kernels/reference/elementwise.h"

namespace webnn::inline v0_1::reference {

Candidate make(const ops::where& op, const Node& node) {
  return dispatch_width(op.trueValue.dataType(), [&]<class T>() {
    const auto select = [](auto condition, auto yes, auto no) {
      return yes.NullaryExpr(yes.size(), [=](Index i) {  // both are read, so that it is no branch
        const T t = yes[i], f = no[i];
        return condition[i] ? t : f;
      });
    };
    return array_kernel<T, void, std::uint8_t, T, T>(select, 2, node.output(), op.condition,
                                                     op.trueValue, op.falseValue);
  });
}

}  // namespace webnn::inline v0_1::reference
