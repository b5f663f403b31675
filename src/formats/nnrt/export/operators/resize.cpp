// Resizing. WebNN's way is NNRt's with half-pixel centers, but for one row or column: of these NNRt
// takes the first, WebNN those in the middle.
#include <algorithm>

#include "src/formats/nnrt/export/lower.h"

namespace webnn::inline v0_1::nnrt::exporter {
namespace {

Value middle(Emitter& e, Value x, std::uint32_t axis, bool linear) {
  Dims sizes = e.shape(x), starts(4, 0);
  starts[axis] = (sizes[axis] - 1) / 2;
  const bool two = linear && sizes[axis] % 2 == 0;
  sizes[axis] = two ? 2 : 1;
  const Value y = e.slice(x, starts, sizes);
  if (!two) return y;
  sizes[axis] = 1;
  return e.like(ReduceFusion{.keepDims = true, .mode = ReduceMode::REDUCE_MODE_MEAN},
                {y, e.ints(Dims{axis})}, sizes);
}

}  // namespace

Values lower(LoweringContext& s, const ops::resample2d& op) {
  Emitter& e = s.e();
  const auto& o = op.options;
  const std::uint32_t a = std::min(o.axes[0], o.axes[1]), b = std::max(o.axes[0], o.axes[1]);
  Dims order;
  for (std::uint32_t d = 0; d < 4; ++d)
    if (d != a && d != b) order.push_back(d);
  order = {order[0], a, b, order[1]};
  const Dims back = inverse(order);
  const bool linear = o.mode == MLInterpolationMode::linear;
  const Value given = s(op.input);
  const Dims out = permuted(s.shape(), order);
  Value x = e.transpose(given, order);
  for (const std::uint32_t axis : {1u, 2u}) {
    const std::uint32_t size = e.shape(x)[axis];
    if (out[axis] != 1 || size == 1) continue;
    if (linear && size % 2 == 0 && !types::floats.contains(op.input.dataType()))
      return s.refuse(fail("NNRt has averages of floats, not of {}", op.input.dataType()));
    x = middle(e, x, axis, linear);
  }
  const Resize r{
      .method = linear ? ResizeMethod::RESIZE_METHOD_LINEAR : ResizeMethod::RESIZE_METHOD_NEAREST,
      .newHeight = out[1],
      .newWidth = out[2],
      .coordinateTransformMode = CoordinateTransformMode::COORDINATE_TRANSFORM_MODE_HALF_PIXEL,
      .nearestMode = NearestMode::NEAREST_MODE_ROUND_HALF_DOWN};
  return e.transpose(linear ? e.like(r, {x}, out) : e.moved(r, {x}, out), back);
}

}  // namespace webnn::inline v0_1::nnrt::exporter
