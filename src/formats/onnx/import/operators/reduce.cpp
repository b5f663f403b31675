// Reductions over axes.
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// The axes, an operand since operator set 13 or 18; nothing: the input is the result.
std::optional<MLReduceOptions> options_of(Call& c, const MLOperand& x, std::int64_t operand_since) {
  MLReduceOptions o{.keepDimensions = c.integer("keepdims", 1) != 0, .label = c.label()};
  std::optional<Ints> axes;
  if (c.version() < operand_since) axes = c.ints("axes");
  else if (c.has(1)) axes = c.ints(1);
  const bool none = c.version() >= operand_since && c.integer("noop_with_empty_axes", 0) != 0;
  if (axes && !axes->empty()) o.axes = c.axes(*axes, x.rank());
  else if (none) return std::nullopt;
  return o;
}

/// Without axes an element is reduced by itself, as an empty list does it in WebNN.
template <class Op, std::int64_t operand_since = 18> void reduce(Call& c) {
  const MLOperand x = c.x();
  const auto o = options_of(c, x, operand_since);
  if (o) c.put_like(0, c.b.append(Op{x, *o}));
  else if constexpr (std::is_same_v<Op, ops::reduceSum>) c.put(c.b.identity(x));
  else
    c.put_like(0, c.b.append(Op{x, {.axes = Dims(), .keepDimensions = true, .label = c.label()}}));
}

template <class Op> void arg(Call& c) {
  MLOperand x = c.x();
  const std::uint32_t axis = c.axis(c.integer("axis", 0), x.rank());
  const bool last = c.integer("select_last_index", 0) != 0;
  if (last) x = c.b.reverse(x, {.axes = {axis}});
  const MLOperand y = c.b.append(Op{x,
                                    axis,
                                    {.keepDimensions = c.integer("keepdims", 1) != 0,
                                     .outputDataType = int64,
                                     .label = c.label()}});
  c.put(last ? c.b.sub((Size::dimension(x, axis) - 1).operand(c.b), y) : y);
}

constexpr Handler handlers[] = {
    {"ArgMax", &arg<ops::argMax>, 1, 1, 1},
    {"ArgMin", &arg<ops::argMin>, 1, 1, 1},
    {"ReduceL1", &reduce<ops::reduceL1>, 1, 1, 2, 1, "the axes are known"},
    {"ReduceL2", &reduce<ops::reduceL2>, 1, 1, 2, 1, "the axes are known; floats"},
    {"ReduceLogSum", &reduce<ops::reduceLogSum>, 1, 1, 2, 1, "the axes are known; floats"},
    {"ReduceLogSumExp", &reduce<ops::reduceLogSumExp>, 1, 1, 2, 1, "the axes are known; floats"},
    {"ReduceMax", &reduce<ops::reduceMax>, 1, 1, 2, 1, "the axes are known"},
    {"ReduceMean", &reduce<ops::reduceMean>, 1, 1, 2, 1, "the axes are known; floats"},
    {"ReduceMin", &reduce<ops::reduceMin>, 1, 1, 2, 1, "the axes are known"},
    {"ReduceProd", &reduce<ops::reduceProduct>, 1, 1, 2, 1, "the axes are known"},
    {"ReduceSum", &reduce<ops::reduceSum, 13>, 1, 1, 2, 1, "the axes are known"},
    {"ReduceSumSquare", &reduce<ops::reduceSumSquare>, 1, 1, 2, 1, "the axes are known"},
};

}  // namespace

std::span<const Handler> reduce_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
