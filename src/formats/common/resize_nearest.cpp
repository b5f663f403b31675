#include "src/formats/common/resize_nearest.h"

#include <algorithm>
#include <cmath>

namespace webnn::inline v0_1::formats {

std::vector<std::int32_t> nearest_elements(std::uint32_t input, std::uint32_t output) {
  std::vector<std::int32_t> out;
  for (std::uint64_t i = 0; i < output; ++i) {
    const std::uint64_t twice = (2 * i + 1) * input;
    const std::uint64_t at = (twice - 1) / (2 * std::uint64_t{output});
    out.push_back(static_cast<std::int32_t>(std::min<std::uint64_t>(at, input - 1)));
  }
  return out;
}

std::vector<std::int32_t> nearest_in_float(std::uint32_t input, std::uint32_t output,
                                           Centers centers) {
  const float step = step_of(input, output, centers), offset = centers.half_pixel ? 0.5f : 0.0f;
  std::vector<std::int32_t> out;
  for (std::uint32_t i = 0; i < output; ++i) {
    const float at = (static_cast<float>(i) + offset) * step;
    const float place = centers.align_corners ? std::round(at) : std::floor(at);
    out.push_back(static_cast<std::int32_t>(
        std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, std::int64_t{input} - 1)));
  }
  return out;
}

}  // namespace webnn::inline v0_1::formats
