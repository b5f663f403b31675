#include "src/formats/tflite/import/call.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// Quantized elements compare as their values do, when both have the same scales.
template <class F> void compared(Call& c, F f) {
  const TensorInfo &x = c.in(0), &y = c.in(1);
  const bool alike = x.type == y.type && x.scales == y.scales;
  const MLOperand a = alike ? c.stored(0) : c.value(0), b = alike ? c.stored(1) : c.value(1);
  c.put_stored(f(a, b, MLOperatorOptions{.label = c.label()}));
}
void equal(Call& c) {
  compared(c, [&](const auto& x, const auto& y, auto o) { return c.b.equal(x, y, o); });
}
void not_equal(Call& c) {
  compared(c, [&](const auto& x, const auto& y, auto o) { return c.b.notEqual(x, y, o); });
}
void less(Call& c) {
  compared(c, [&](const auto& x, const auto& y, auto o) { return c.b.lesser(x, y, o); });
}
void less_equal(Call& c) {
  compared(c, [&](const auto& x, const auto& y, auto o) { return c.b.lesserOrEqual(x, y, o); });
}
void greater(Call& c) {
  compared(c, [&](const auto& x, const auto& y, auto o) { return c.b.greater(x, y, o); });
}
void greater_equal(Call& c) {
  compared(c, [&](const auto& x, const auto& y, auto o) { return c.b.greaterOrEqual(x, y, o); });
}

void logical_and(Call& c) {
  c.put_stored(c.b.logicalAnd(c.stored(0), c.stored(1), {.label = c.label()}));
}
void logical_or(Call& c) {
  c.put_stored(c.b.logicalOr(c.stored(0), c.stored(1), {.label = c.label()}));
}
void logical_not(Call& c) { c.put_stored(c.b.logicalNot(c.stored(0), {.label = c.label()})); }

void select_from(Call& c, const MLOperand& condition) {
  const bool moves = c.same_scales(1) && c.same_scales(2);
  const MLOperatorOptions o{.label = c.label()};
  if (moves) c.put_stored(c.b.where(condition, c.stored(1), c.stored(2), o));
  else c.put(c.b.where(condition, c.value(1), c.value(2), o));
}

/// A condition of one dimension selects along the first dimension of the values.
void select(Call& c) {
  MLOperand condition = c.stored(0);
  const std::uint32_t rank = c.stored(1).rank();
  if (condition.rank() == 1 && rank > 1) {
    SizeList shape(rank, 1);
    shape[0] = Size::dimension(condition, 0);
    condition = formats::reshape(c.b, condition, shape);
  }
  select_from(c, condition);
}
void select_v2(Call& c) { select_from(c, c.stored(0)); }

constexpr Handler handlers[] = {
    {Code::EQUAL, equal, 2, 2},
    {Code::NOT_EQUAL, not_equal, 2, 2},
    {Code::LESS, less, 2, 2},
    {Code::LESS_EQUAL, less_equal, 2, 2},
    {Code::GREATER, greater, 2, 2},
    {Code::GREATER_EQUAL, greater_equal, 2, 2},
    {Code::LOGICAL_AND, logical_and, 2, 2},
    {Code::LOGICAL_OR, logical_or, 2, 2},
    {Code::LOGICAL_NOT, logical_not, 1, 1},
    {Code::SELECT, select, 3, 3},
    {Code::SELECT_V2, select_v2, 3, 3},
};

}  // namespace

std::span<const Handler> logical_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
