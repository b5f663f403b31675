// Operators whose number of results follows from data.
#include <limits>

#include "src/formats/onnx/import/padded.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {

void non_zero_of_data(Call& c) {
  const auto results = c.b.custom(operators::non_zero(), {c.x()}, {.label = c.label()});
  put_counted(c, results[0], 1, results[1]);
}

namespace {

/// A threshold of one element in float32, or the number that stands for its absence.
MLOperand threshold(Call& c, std::size_t i, float absent) {
  if (!c.has(i) || c.empty(i)) return c.scalar(float32, absent);
  return c.cast(c.x(i), float32);
}

void non_max_suppression(Call& c) {
  const std::int64_t center = c.integer("center_point_box", 0);
  if (center != 0 && center != 1) c.refuse(fail("its center_point_box is {}", center));
  const bool limited = c.has(2) && !c.empty(2);
  // Without a limit nothing is selected.
  if (!limited || (c.can_be_known(2) && c.integer(2) <= 0)) return c.put_empty({0, 3}, int64);
  std::vector<MLOperand> operands{c.x(0), c.x(1), threshold(c, 3, 0),
                                  threshold(c, 4, -std::numeric_limits<float>::infinity())};
  std::int64_t most = 0;
  if (c.can_be_known(2)) most = c.integer(2);
  else operands.push_back(c.x(2));
  const auto results = c.b.custom(
      operators::non_max_suppression(), std::move(operands),
      {.attributes = {{"maxPerClass", most}, {"center", center != 0}}, .label = c.label()});
  put_counted(c, results[0], 0, results[1]);
}

void unique(Call& c) {
  const MLOperand x = c.x();
  const bool flat = !c.has_attribute("axis");
  const std::uint32_t axis = flat ? 0 : c.axis(c.integer("axis", 0), x.rank());
  const auto results = c.b.custom(
      operators::unique(), {x},
      {.attributes = {{"axis", axis}, {"flat", flat}, {"sorted", c.integer("sorted", 1) != 0}},
       .label = c.label()});
  for (std::size_t i = 0; i < 4; ++i) {
    if (!c.has_output(i)) continue;
    if (i == 2) c.put(results[i], i);
    else put_counted(c, results[i], i == 0 ? axis : 0, results[4], i);
    if (i == 0) c.scope().find(c.node().outputs[0])->boolean = c.in(0).boolean;
  }
}

constexpr Handler handlers[] = {
    {"NonMaxSuppression", &non_max_suppression, 10, 2, 5, 1,
     "as webnn.NonMaxSuppression, unless the inputs are known: see below"},
    {"Unique", &unique, 11, 1, 1, 4, "as webnn.Unique, unless the input is known: see below"},
};

}  // namespace

std::span<const Handler> selection_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
