#include "src/formats/executorch/import/dynamic.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::executorch {

Stored quantized_in_run(Import& import, const MLOperand& given, std::uint32_t dims) {
  MLGraphBuilder b = import.builder;
  const MLOperand x = given.dataType() == float32 ? given : b.cast(given, float32);
  if (dims > x.rank())
    refuse(import.source,
           fail("num_nonbatch_dims ({}) is greater than the rank of {}", dims, x.shape()));
  Dims axes;
  for (std::uint32_t d = x.rank() - dims; d < x.rank(); ++d) axes.push_back(d);
  const MLReduceOptions row{.axes = axes, .keepDimensions = true};
  const auto number = [&](double v) { return b.constant(float32, v); };
  const MLOperand zero = number(0);
  const MLOperand low = b.min(b.reduceMin(x, row), zero), high = b.max(b.reduceMax(x, row), zero);
  const MLOperand range = b.sub(high, low);
  // A row of zeros has the scale 1.
  const MLOperand multiplier =
      b.div(number(255), b.where(b.equal(range, zero), number(255), range));
  const MLOperand low_step = b.mul(low, multiplier), high_step = b.mul(high, multiplier);
  // The end whose step is nearer to an integer decides.
  const MLOperand from_low = b.add(number(-128), low_step),
                  from_high = b.add(number(127), high_step);
  const MLOperand place = b.where(b.greater(b.add(from_low, from_high), zero),
                                  b.sub(number(-128), low_step), b.sub(number(127), high_step));
  const MLOperand offset = b.roundEven(b.clamp(place, {.minValue = -128, .maxValue = 127}));
  const MLOperand steps = b.roundEven(b.mul(x, multiplier));
  const MLOperand q = b.clamp(b.add(steps, offset), {.minValue = -128, .maxValue = 127});
  return {b.sub(q, offset), b.div(number(1), multiplier)};
}

}  // namespace webnn::inline v0_1::executorch
