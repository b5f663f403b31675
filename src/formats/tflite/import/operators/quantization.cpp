#include <algorithm>
#include <cmath>

#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

/// Quantizes numbers, or elements with other scales.
void quantize(Call& c) {
  if (!c.out().scales) c.refuse(fail("{} has no scale", c.out().text()));
  c.put(c.value(0));
}

/// To float32, also from float16.
void dequantize(Call& c) {
  const MLOperand x = c.value(0);
  c.put_stored(c.b.cast(x, float32, {.label = c.label()}));
}
void dequantize_quantized(Call& c) {
  if (!c.quantized(0)) return dequantize(c);
  c.put_stored(c.value(0));
}

/// Rounds to the values of a quantization that represents 0 exactly; ties are rounded up.
void fake_quant(Call& c) {
  const auto o = c.options<schema::FakeQuantOptionsT>();
  if (o.num_bits < 2 || o.num_bits > 16)
    c.refuse(fail("num_bits ({}) is not between 2 and 16", o.num_bits));
  if (!(o.min <= 0 && o.max >= 0 && o.min < o.max))
    c.refuse(fail("the range from {} to {} does not hold 0", o.min, o.max));
  const float min = o.narrow_range ? 1 : 0,
              max = static_cast<float>((std::int32_t{1} << o.num_bits) - 1);
  const float scale = (o.max - o.min) / (max - min);
  const float zero = std::round(std::clamp(min - o.min / scale, min, max));
  const float low = (min - zero) * scale, high = (max - zero) * scale;
  if (!(scale > 0) || !std::isfinite(high) || !std::isfinite(low))
    c.refuse(fail("the range from {} to {} has no scale", o.min, o.max));
  const MLOperand x = c.b.clamp(c.value(0), {.minValue = low, .maxValue = high});
  const MLOperand steps =
      c.b.linear(c.b.sub(x, c.scalar_like(x, low)), {.alpha = 1 / scale, .beta = 0.5});
  c.put(c.b.linear(c.b.floor(steps), {.alpha = scale, .beta = low, .label = c.label()}));
}

constexpr Handler handlers[] = {
    {Code::QUANTIZE, quantize, 1, 1},
    {Code::DEQUANTIZE, dequantize_quantized, 1, 1},
    {Code::FAKE_QUANT, fake_quant, 1, 1},
};

}  // namespace

std::span<const Handler> quantization_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
