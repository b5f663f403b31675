// Functions of all elements along an axis.
#include "src/formats/onnx/import/quantize.h"

namespace webnn::inline v0_1::onnx {
namespace {

/// Before operator set 13 the input is a matrix whose rows begin at the axis.
struct Rows {
  MLOperand x;
  std::uint32_t axis;
  SizeList shape;  // that of the result
};

Rows rows_of(Call& c, const MLOperand& x, bool old, std::int64_t given) {
  if (x.rank() == 0) c.unsupported("its input is a scalar");
  const std::uint32_t axis = c.axis_or_end(given, x.rank());
  if (!old && axis == x.rank()) c.refuse(fail("axis ({}) is not within the rank", axis));
  if (!old || axis + 1 == x.rank()) return {x, axis, formats::sizes_of(x)};
  if (x.is_open()) return {c.b.reshapeTo2d(x, {.axis = axis}), 1, formats::sizes_of(x)};
  std::uint32_t rows = 1, columns = 1;
  for (std::uint32_t i = 0; i < x.rank(); ++i) (i < axis ? rows : columns) *= x.shape()[i];
  return {c.b.reshape(x, {rows, columns}), 1, formats::sizes_of(x)};
}

Rows rows_of(Call& c) {
  const bool old = c.version() < 13;
  return rows_of(c, c.x(), old, c.integer("axis", old ? 1 : -1));
}

void softmax(Call& c) {
  const Rows r = rows_of(c);
  c.put(c.reshaped(c.b.softmax(r.x, r.axis, {.label = c.label()}), r.shape));
}

/// As Softmax of the operator set that an attribute names.
void qlinear_softmax(Call& c) {
  const MLOperand x = dequantized(c, 0, 0);
  const bool old = c.integer("opset", 13) < 13;
  const Rows r = rows_of(c, x, old, c.integer("axis", -1));
  put_quantized(c, c.reshaped(c.b.softmax(r.x, r.axis, {.label = c.label()}), r.shape), 3);
}

void log_softmax(Call& c) {
  const Rows r = rows_of(c);
  const MLReduceOptions over{.axes = {r.axis}, .keepDimensions = true};
  const MLOperand x = c.b.sub(r.x, c.b.reduceMax(r.x, over));
  const MLOperand y = c.b.sub(x, c.b.log(c.b.reduceSum(c.b.exp(x), over)), {.label = c.label()});
  c.put(c.reshaped(y, r.shape));
}

/// 1 at the first of the largest elements.
void hardmax(Call& c) {
  const Rows r = rows_of(c);
  const MLOperand first = c.b.argMax(r.x, r.axis, {.keepDimensions = true, .label = c.label()});
  SizeList shape(r.x.rank(), 1);
  shape[r.axis] = Size::dimension(r.x, r.axis);
  const MLOperand hit = c.b.equal(c.numbers(int32, shape, shape[r.axis]), first);
  c.put(c.reshaped(c.b.cast(hit, r.x.dataType()), r.shape));
}

constexpr Handler handlers[] = {
    {"Hardmax", &hardmax, 1, 1, 1, 1, "composed"},
    {"LogSoftmax", &log_softmax, 1, 1, 1, 1, "composed"},
    {"Softmax", &softmax, 1, 1, 1},
    {"QLinearSoftmax", &qlinear_softmax, 1, 4, 5, 1, "", "com.microsoft"},
};

}  // namespace

std::span<const Handler> softmax_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
