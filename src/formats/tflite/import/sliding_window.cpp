#include "src/formats/tflite/import/sliding_window.h"

#include "src/graph/failure.h"

namespace webnn::tflite {

std::pair<std::uint32_t, std::uint32_t> same_padding(std::uint64_t input, std::uint64_t output,
                                                     WindowAxis axis) {
  const std::uint64_t extent = (std::uint64_t{axis.size} - 1) * axis.dilation + 1;
  const std::uint64_t needed = (output - 1) * axis.stride + extent;
  const std::uint64_t total = needed > input ? needed - input : 0;
  // More than a dimension can have is refused by the operator.
  const auto limited = [](std::uint64_t v) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(v, UINT32_MAX));
  };
  return {limited(total / 2), limited(total - total / 2)};
}

Dims padding_of(const Call& call, schema::Padding padding, const Dims& image, WindowAxis height,
                WindowAxis width) {
  if (padding == schema::Padding::VALID) return {0, 0, 0, 0};
  if (padding != schema::Padding::SAME)
    call.refuse(fail("the padding ({}) is neither SAME nor VALID", static_cast<int>(padding)));
  const auto along = [&](std::uint32_t size, WindowAxis axis) {
    return same_padding(size, (size - 1) / axis.stride + 1, axis);
  };
  const auto [top, bottom] = along(image[1], height);
  const auto [left, right] = along(image[2], width);
  return {top, bottom, left, right};
}

}  // namespace webnn::tflite
