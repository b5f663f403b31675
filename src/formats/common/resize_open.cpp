#include "src/formats/common/resize_open.h"

namespace webnn::inline v0_1::formats {
namespace {

MLOperand as_float(MLGraphBuilder& b, const Size& size) {
  if (size.is_known()) return b.constant(float32, static_cast<double>(size.number()));
  return b.cast(size.operand(b), float32);
}

/// Where the elements of a resized axis lie in the input: [output], in float as the reference
/// runtime computes them.
MLOperand places_of(MLGraphBuilder& b, const Size& input, const Size& output, Centers centers,
                    float offset) {
  MLOperand step = b.div(as_float(b, input), as_float(b, output));
  if (centers.align_corners) {
    const MLOperand more = b.greater(output.operand(b), b.constant(int64, 1));
    const MLOperand gaps = as_float(b, max(output - 1, 1));
    step = b.where(more, b.div(as_float(b, input - 1), gaps), step);
  }
  MLOperand i = numbers(b, float32, 0, output);
  if (offset != 0) i = b.add(i, b.constant(float32, offset));
  return b.mul(i, step);
}

/// Whole numbers as places of an axis of that size.
MLOperand inside(MLGraphBuilder& b, const MLOperand& place, const MLOperand& last) {
  return b.max(b.min(b.cast(place, int64), last), b.constant(int64, 0));
}

MLOperand interpolated(MLGraphBuilder& b, const MLOperand& x, std::uint32_t axis,
                       const Size& output, Centers centers) {
  const Size input = Size::dimension(x, axis);
  if (input.same_as(output)) return x;
  const MLOperand at = places_of(b, input, output, centers, 0);
  const MLOperand last = (input - 1).operand(b);
  const MLOperand low = inside(b, b.floor(at), last);
  const MLOperand high = b.min(b.add(low, b.constant(int64, 1)), last);
  SizeList shape(4, 1);
  shape[axis] = output;
  MLOperand w = reshape(b, b.sub(at, b.cast(low, float32)), shape);
  if (x.dataType() != float32) w = b.cast(w, x.dataType());
  const MLOperand before = b.gather(x, low, {.axis = axis}),
                  behind = b.gather(x, high, {.axis = axis});
  return b.add(before, b.mul(b.sub(behind, before), w));
}

MLOperand nearest(MLGraphBuilder& b, const MLOperand& x, std::uint32_t axis, const Size& output,
                  Centers centers) {
  const Size input = Size::dimension(x, axis);
  const MLOperand at = places_of(b, input, output, centers, centers.half_pixel ? 0.5f : 0.0f);
  MLOperand place = b.floor(at);
  if (centers.align_corners) {  // halfway up, as the sum of both might be rounded
    const MLOperand up = b.greaterOrEqual(b.sub(at, place), b.constant(float32, 0.5));
    place = b.add(place, b.cast(up, float32));
  }
  return b.gather(x, inside(b, place, (input - 1).operand(b)), {.axis = axis});
}

}  // namespace

MLOperand resize_bilinear_open(MLGraphBuilder b, const MLOperand& x, const Size& height,
                               const Size& width, Centers centers, const std::string& label) {
  if (centers.half_pixel) {
    MLResample2dOptions o{.mode = MLInterpolationMode::linear, .axes = {1, 2}, .label = label};
    if (height.is_known() && width.is_known()) {
      o.sizes = dims_of({height, width});
      return b.resample2d(x, std::move(o));
    }
    return b.resample2dDynamic(
        x,
        {.mode = o.mode, .sizes = operand_of(b, {height, width}), .axes = o.axes, .label = label});
  }
  const MLOperand rows = interpolated(b, x, 1, height, centers);
  const MLOperand y = interpolated(b, rows, 2, width, centers);
  return y.is(x) ? b.identity(x, {.label = label}) : y;
}

MLOperand resize_nearest_open(MLGraphBuilder b, const MLOperand& x, const Size& height,
                              const Size& width, Centers centers, const std::string& label) {
  return b.identity(nearest(b, nearest(b, x, 1, height, centers), 2, width, centers),
                    {.label = label});
}

}  // namespace webnn::inline v0_1::formats
