#include "src/formats/common/resize_bilinear.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace webnn::inline v0_1::formats {

float step_of(std::uint32_t input, std::uint32_t output, Centers centers) {
  if (centers.align_corners && output > 1)
    return static_cast<float>(input - 1) / static_cast<float>(output - 1);
  return static_cast<float>(input) / static_cast<float>(output);
}

namespace {

/// Linearly between two rows (axis 1) or columns (axis 2).
MLOperand interpolated(MLGraphBuilder builder, const MLOperand& x, std::uint32_t axis,
                       std::uint32_t output, Centers centers) {
  const std::uint32_t input = x.shape()[axis];
  if (input == output) return x;
  const float step = step_of(input, output, centers);
  std::vector<std::int32_t> low, high;
  std::vector<float> weight;
  const auto last = static_cast<std::int32_t>(input - 1);
  for (std::uint32_t i = 0; i < output; ++i) {
    const float at = static_cast<float>(i) * step;
    low.push_back(static_cast<std::int32_t>(
        std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(at)), 0, last)));
    high.push_back(low.back() < last ? low.back() + 1 : last);
    weight.push_back(at - static_cast<float>(low.back()));
  }
  Dims shape(4, 1);
  shape[axis] = output;
  const auto rows = [&](const std::vector<std::int32_t>& indices) {
    return builder.gather(x, builder.constant({int32, {output}}, indices), {.axis = axis});
  };
  const MLOperand a = rows(low), b = rows(high);
  MLOperand w = builder.constant({float32, shape}, weight);
  if (x.dataType() != float32) w = builder.cast(w, x.dataType());
  return builder.add(a, builder.mul(builder.sub(b, a), w));
}

}  // namespace

MLOperand resize_bilinear(MLGraphBuilder builder, const MLOperand& x, std::uint32_t height,
                          std::uint32_t width, Centers centers, const std::string& label) {
  if (centers.half_pixel)
    return builder.resample2d(x, {.mode = MLInterpolationMode::linear,
                                  .sizes = Dims{height, width},
                                  .axes = {1, 2},
                                  .label = label});
  const MLOperand rows = interpolated(builder, x, 1, height, centers);
  MLOperand y = interpolated(builder, rows, 2, width, centers);
  return y.is(x) ? builder.identity(x, {.label = label}) : y;
}

}  // namespace webnn::inline v0_1::formats
