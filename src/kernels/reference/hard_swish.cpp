#include "src/kernels/reference/elementwise.h"

namespace webnn::reference {
namespace {

Kernel make(const ops::hardSwish& op, const Node&) {
  return elementwise<input_types<ops::hardSwish>>(op.input, [](auto v) {
    auto shifted = v + 3;
    shifted = shifted > 6 ? 6 : shifted;
    return v * (shifted < 0 ? 0 : shifted) / 6;
  });
}

}  // namespace

Table<ops::HardSwishSection> kernels(ops::HardSwishSection) {
  return table<ops::HardSwishSection>([](const auto& op, const Node& n) { return make(op, n); });
}

}  // namespace webnn::reference
