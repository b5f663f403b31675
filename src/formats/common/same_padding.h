// Padding that keeps the number of strides. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <utility>

#include "src/formats/common/size.h"

namespace webnn::inline v0_1::formats {

/// One axis of a window over an image.
struct WindowAxis {
  std::uint32_t size = 1, stride = 1, dilation = 1;
};

/// What is added along one axis, before and after, so that there are `output` results; the odd one
/// is at the end.
[[gnu::visibility("hidden")]] std::pair<std::uint32_t, std::uint32_t> same_padding(
    std::uint64_t input, std::uint64_t output, WindowAxis axis);
/// The padding for as many results as the input has strides.
inline std::pair<std::uint32_t, std::uint32_t> same_padding(std::uint32_t input, WindowAxis axis) {
  return same_padding(input, (input - 1) / axis.stride + 1, axis);
}
/// The same along a dimension that may be open.
[[gnu::visibility("hidden")]] std::pair<Size, Size> same_padding(const Size& input,
                                                                 WindowAxis axis);

/// What lies around an image where the largest elements are looked for: no element is less.
[[gnu::visibility("hidden")]] MLNumber lowest_value(MLOperandDataType type);

}  // namespace webnn::inline v0_1::formats
