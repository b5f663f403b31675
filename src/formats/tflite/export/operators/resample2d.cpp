// resample2d.
#include "src/formats/common/resize_nearest.h"
#include "src/formats/tflite/export/sliding_window.h"

namespace webnn::inline v0_1::tflite::exporter {
namespace {

/// Whether the runtime, which computes in float and takes the upper one of two elements, takes the
/// elements of resample2d.
bool runtime_agrees(std::uint32_t in, std::uint32_t out) {
  return formats::nearest_in_float(in, out, {.half_pixel = true}) ==
         formats::nearest_elements(in, out);
}

template <class Options>
Value resize(Emitter& e, BuiltinOperator code, Value x, std::uint32_t height, std::uint32_t width) {
  const Dims in = e.shape(x);
  Options options;
  options.half_pixel_centers = true;
  return e.emit(code, {x, e.ints({signed_of(height), signed_of(width)})},
                {e.type(x), {in[0], height, width, in[3]}, e.spec(x).quantizer},
                std::optional(options));
}

}  // namespace

Values lower(LoweringContext& s, const ops::resample2d& op) {
  Emitter& e = s.e();
  const Dims &in = op.input.shape(), out = s.result().shape;
  const std::uint32_t first = std::min(op.options.axes[0], op.options.axes[1]),
                      second = std::max(op.options.axes[0], op.options.axes[1]);
  const Value x = s(op.input);
  const bool nearest_neighbor = op.options.mode == MLInterpolationMode::nearest_neighbor;
  if (nearest_neighbor &&
      !(runtime_agrees(in[first], out[first]) && runtime_agrees(in[second], out[second]))) {
    const Value y = in[first] == out[first]
                        ? x
                        : e.pick(x, formats::nearest_elements(in[first], out[first]), first);
    return in[second] == out[second]
               ? y
               : e.pick(y, formats::nearest_elements(in[second], out[second]), second);
  }
  // The two axes become those of an image in NHWC.
  Dims order;
  for (std::uint32_t d = 0; d < 4; ++d)
    if (d != first && d != second) order.push_back(d);
  order.insert(order.begin() + 1, {first, second});
  const Dims back = inverse(order);
  const Value image = e.transpose(x, order);
  if (nearest_neighbor)
    return e.transpose(resize<schema::ResizeNearestNeighborOptionsT>(
                           e, RESIZE_NEAREST_NEIGHBOR, image, out[first], out[second]),
                       back);
  const bool integers = !s.quantized() && op.input.dataType() != float32;
  Value y = integers ? e.cast(image, TensorType::FLOAT32) : image;
  y = resize<schema::ResizeBilinearOptionsT>(e, RESIZE_BILINEAR, y, out[first], out[second]);
  if (integers) y = e.cast(e.unary(ROUND, y), e.type(x));
  return e.transpose(y, back);
}

}  // namespace webnn::inline v0_1::tflite::exporter
