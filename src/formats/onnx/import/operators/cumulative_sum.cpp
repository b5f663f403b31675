#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

void cumulative_sum(Call& c) {
  const MLOperand x = c.x();
  c.put(c.b.cumulativeSum(x, c.axis(c.integer(1), x.rank()),
                          {.exclusive = c.integer("exclusive", 0) != 0,
                           .reversed = c.integer("reverse", 0) != 0,
                           .label = c.label()}));
}

constexpr Handler handlers[] = {
    {"CumSum", &cumulative_sum, 11, 2, 2, 1, "the axis is known"},
};

}  // namespace

std::span<const Handler> cumulative_sum_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
