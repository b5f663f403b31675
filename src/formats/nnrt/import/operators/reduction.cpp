// Reductions, and the place of the largest element.
#include "src/formats/nnrt/import/importer.h"

namespace webnn::inline v0_1::nnrt {
namespace {

MLOperand reduced(const Call& c, const MLOperand& x, ReduceMode mode, const MLReduceOptions& o) {
  using enum ReduceMode;
  switch (mode) {
    case REDUCE_MODE_MEAN: return c.b.reduceMean(x, o);
    case REDUCE_MODE_MAX: return c.b.reduceMax(x, o);
    case REDUCE_MODE_MIN: return c.b.reduceMin(x, o);
    case REDUCE_MODE_PROD: return c.b.reduceProduct(x, o);
    case REDUCE_MODE_SUM: return c.b.reduceSum(x, o);
    case REDUCE_MODE_SUM_SQUARE: return c.b.reduceSumSquare(x, o);
    case REDUCE_MODE_ASUM: return c.b.reduceL1(x, o);
    case REDUCE_MODE_L2: return c.b.reduceL2(x, o);
    case REDUCE_MODE_ALL: return c.b.reduceMin(x, o);
  }
  c.refuse(fail("its mode is not one of the interface"));
}

void reduce(Call& c, const ReduceFusion& a) {
  const MLOperand x = c.value(0);
  Dims axes;
  if (c.has(1))
    for (const std::int64_t v : c.ints(1)) axes.push_back(c.axis(v, x.rank()));
  else
    for (std::uint32_t d = 0; d < x.rank(); ++d) axes.push_back(d);
  if (a.reduceToEnd && !axes.empty()) {
    const std::uint32_t first = axes[0];
    axes.clear();
    for (std::uint32_t d = first; d < x.rank(); ++d) axes.push_back(d);
  }
  MLOperand y =
      reduced(c, x, a.mode, {.axes = axes, .keepDimensions = a.keepDims, .label = c.label()});
  if (a.reduceToEnd && a.coeff != 1) y = c.b.linear(y, {.alpha = a.coeff});
  c.put(y);
}

/// Whether all elements are other than 0.
void all(Call& c, const All& a) {
  const MLOperand x = c.stored(0);
  Dims axes;
  for (const std::int64_t v : c.ints(1)) axes.push_back(c.axis(v, x.rank()));
  const MLOperand other = c.b.notEqual(x, c.b.constant(x.dataType(), 0));
  c.put(
      c.b.reduceMin(other, {.axes = axes, .keepDimensions = a.keepDims != 0, .label = c.label()}));
}

void arg_max(Call& c, const ArgMaxFusion& a) {
  if (a.topK != 1) c.unsupported(fail("the {} largest elements", a.topK));
  const MLOperand x = c.value(0);
  const std::uint32_t axis = c.axis(a.axis, x.rank());
  if (a.outMaxValue)
    return c.put(
        c.b.reduceMax(x, {.axes = {axis}, .keepDimensions = a.keepDims, .label = c.label()}));
  const bool wide = c.out().dataType == DataType::DATA_TYPE_INT64;
  c.put(c.b.argMax(
      x, axis,
      {.keepDimensions = a.keepDims, .outputDataType = wide ? int64 : int32, .label = c.label()}));
}

using enum NodeType;
constexpr Rule rules[] = {
    {NODE_TYPE_REDUCE_FUSION, handle<ReduceFusion, reduce>, 1, 2},
    {NODE_TYPE_ALL, handle<All, all>, 2, 2},
    {NODE_TYPE_ARGMAX_FUSION, handle<ArgMaxFusion, arg_max>, 1, 1},
};

}  // namespace

std::span<const Rule> reduction_rules() { return rules; }

}  // namespace webnn::inline v0_1::nnrt
