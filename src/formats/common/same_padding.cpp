#include "src/formats/common/same_padding.h"

#include <algorithm>
#include <limits>

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

std::pair<Size, Size> same_padding(const Size& input, WindowAxis axis) {
  if (input.is_known()) return same_padding(static_cast<std::uint32_t>(input.number()), axis);
  const std::int64_t stride = axis.stride;
  const std::int64_t extent = (std::int64_t{axis.size} - 1) * axis.dilation + 1;
  const Size strides = (input + (stride - 1)) / stride;
  const Size total =
      stride == 1 ? Size(extent - 1) : max((strides - 1) * stride + extent - input, 0);
  const Size before = total / 2;
  return {before, total - before};
}

MLNumber lowest_value(MLOperandDataType type) {
  if (is_float(type)) return -std::numeric_limits<double>::infinity();
  if (!types::signed_numbers.contains(type)) return 0;
  return -(std::int64_t{1} << (bits_of(type) - 1));
}

}  // namespace webnn::inline v0_1::formats
