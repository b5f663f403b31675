// Sums and products of the elements before each along an axis.
#include "src/formats/onnx/import/call.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {
namespace {

void cumulative_sum(Call& c) {
  const MLOperand x = c.x();
  c.put(c.b.cumulativeSum(x, c.axis(c.integer(1), x.rank()),
                          {.exclusive = c.integer("exclusive", 0) != 0,
                           .reversed = c.integer("reverse", 0) != 0,
                           .label = c.label()}));
}

void cumulative_product(Call& c) {
  const MLOperand x = c.x();
  c.put(c.b.custom(operators::cumulative_product(), {x},
                   {.attributes = {{"axis", c.axis(c.integer(1), x.rank())},
                                   {"exclusive", c.integer("exclusive", 0) != 0},
                                   {"reversed", c.integer("reverse", 0) != 0}},
                    .label = c.label()})[0]);
}

constexpr Handler handlers[] = {
    {"CumProd", &cumulative_product, 26, 2, 2, 1, "as webnn.CumulativeProduct; the axis is known"},
    {"CumSum", &cumulative_sum, 11, 2, 2, 1, "the axis is known"},
};

}  // namespace

std::span<const Handler> cumulative_sum_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
