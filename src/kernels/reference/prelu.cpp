#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

/// Products of integers wrap.
template <class T> T scaled(T slope, T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(slope) * static_cast<std::uint64_t>(x));
  else return slope * x;
}

Kernel make(const ops::prelu& op, const Node& node) {  // NaN stays NaN
  return elementwise<input_types<ops::prelu>>(
      op.input, op.slope, node.output(),
      [](auto x, auto slope) { return x < 0 ? scaled(slope, x) : x; });
}

}  // namespace

Table<ops::PreluSection> kernels(ops::PreluSection) {
  return table<ops::PreluSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
