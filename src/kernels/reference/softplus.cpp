#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::softplus& op, const Node&) {
  return elementwise<input_types<ops::softplus>>(
      op.input, each([](auto v) { return (v > 0 ? v : 0) + std::log1p(std::exp(-std::abs(v))); }),
      40);
}

}  // namespace

Table<ops::SoftplusSection> kernels(ops::SoftplusSection s) {
  return table(s, [](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
