// The largest, or smallest, elements and their places.
#include "src/formats/onnx/import/call.h"
#include "src/operators/operators.h"

namespace webnn::inline v0_1::onnx {
namespace {

void top_k(Call& c) {
  const MLOperand x = c.x();
  const std::uint32_t axis = c.axis(c.integer("axis", -1), x.rank());
  const std::int64_t k = c.version() < 10 ? c.integer("k", 0) : c.integer(1);
  const bool largest = c.integer("largest", 1) != 0;
  c.ignore("sorted");  // they may have any order then
  if (k == 0) {
    ops::Sizes shape = c.shape(0);
    shape[axis] = 0;
    c.put_empty(shape, x.dataType());
    if (c.has_output(1)) c.put_empty(shape, int64, 1);
    return;
  }
  const auto results = c.b.custom(
      operators::top_k(), {x},
      {.attributes = {{"k", k}, {"axis", axis}, {"largest", largest}}, .label = c.label()});
  if (c.has_output(0)) c.put(results[0]);
  if (c.has_output(1)) c.put(results[1], 1);
}

constexpr Handler handlers[] = {
    {"TopK", &top_k, 1, 1, 2, 2, "as webnn.TopK; k is known"},
};

}  // namespace

std::span<const Handler> top_k_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
