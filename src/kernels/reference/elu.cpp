#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::elu& op, const Node&) {
  const auto alpha = static_cast<float>(coefficient(op.options.alpha, op.input));
  return elementwise<input_types<ops::elu>>(
      op.input, each([alpha](auto v) { return v < 0 ? alpha * std::expm1(v) : v; }), 40);
}

}  // namespace

Table<ops::EluSection> kernels(ops::EluSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
