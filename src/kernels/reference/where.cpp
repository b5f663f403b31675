#include "src/kernels/reference/copy.h"
#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::where& op, const Node& node) {
  return dispatch_width(op.trueValue.dataType(), [&]<class T>() {
    return array_kernel<T, void, std::uint8_t, T, T>(
        [](auto condition, auto yes, auto no) { return (condition != 0).select(yes, no); }, 2,
        node.output(), op.condition, op.trueValue, op.falseValue);
  });
}

}  // namespace

Table<ops::WhereSection> kernels(ops::WhereSection) {
  return table<ops::WhereSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
