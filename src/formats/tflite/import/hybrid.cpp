#include "src/formats/tflite/import/hybrid.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {

bool is_hybrid(const Call& call, std::size_t x, std::size_t filter) {
  const TensorInfo &in = call.in(x), &f = call.in(filter);
  return call.scope().import().options.dynamic_quantization &&
         in.type == schema::TensorType::FLOAT32 && f.scales && f.constant() &&
         (f.type == schema::TensorType::INT8 || f.type == schema::TensorType::INT4);
}

MLOperand unscaled(const Call& call, std::size_t filter) {
  const MLOperand w = call.stored(filter);
  if (w.dataType() == int8) return call.b.cast(w, float32);
  const Dims ones(w.rank(), 1);
  const std::uint8_t zero = 0;
  return call.b.dequantizeLinear(
      w, call.floats(ones, {1}),
      call.b.constant({w.dataType(), ones}, std::span<const std::uint8_t>(&zero, 1)));
}

Quantized quantized_in_run(const Call& call, const MLOperand& x, bool asymmetric) {
  MLGraphBuilder b = call.b;
  Dims axes;
  for (std::uint32_t d = 1; d < x.rank(); ++d) axes.push_back(d);
  const MLReduceOptions each{.axes = axes, .keepDimensions = true};
  const auto number = [&](double v) { return call.scalar(float32, v); };
  const MLOperand zero = number(0), one = number(1);
  const MLOperand low = asymmetric ? b.min(b.reduceMin(x, each), zero) : zero;
  const MLOperand range =
      asymmetric ? b.sub(b.max(b.reduceMax(x, each), zero), low) : b.reduceMax(b.abs(x), each);
  const double steps = asymmetric ? 255 : 127;
  // The scale of nothing but zeros does not matter.
  const MLOperand width = b.where(b.equal(range, zero), number(steps), range);
  const MLOperand scale = b.div(width, number(steps));
  if (!asymmetric) {
    const MLOperand q = b.roundEven(b.mul(x, b.div(number(steps), width)));
    return {b.clamp(q, {.minValue = -127, .maxValue = 127}), scale};
  }
  const MLOperand inverse = b.div(one, scale);
  const MLOperand offset = b.clamp(b.roundEven(b.sub(number(-128), b.div(low, scale))),
                                   {.minValue = -128, .maxValue = 127});
  const MLOperand q =
      b.clamp(b.roundEven(b.add(b.mul(x, inverse), offset)), {.minValue = -128, .maxValue = 127});
  return {b.sub(q, offset), scale};
}

MLOperand rescaled(const Call& call, const MLOperand& y, const MLOperand& scale, std::size_t filter,
                   const std::optional<MLOperand>& bias) {
  const auto scales = call.in(filter).scales->scale;
  const auto n = static_cast<std::uint32_t>(scales.size());
  const Size channels = Size::dimension(y, y.rank() - 1);
  if (n != 1 && !channels.is(n))
    call.refuse(fail("the filter has {} scales for {} channels", n, channels.text()));
  const MLOperand of_filter = call.floats({n}, {scales.begin(), scales.end()});
  SizeList shape(y.rank(), 1);
  shape[0] = Size::dimension(scale, 0);
  MLOperand out = call.b.mul(y, call.b.mul(call.reshaped(scale, shape), of_filter));
  return bias ? call.b.add(out, *bias) : out;
}

}  // namespace webnn::inline v0_1::tflite
