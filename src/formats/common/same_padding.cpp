#include "src/formats/common/same_padding.h"

#include <algorithm>

namespace webnn::inline v0_1::formats {

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

}  // namespace webnn::inline v0_1::formats
