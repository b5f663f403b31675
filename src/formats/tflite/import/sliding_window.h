// Padding of sliding windows as the format has it. Private.
#pragma once

#include "src/formats/tflite/import/call.h"

namespace webnn::tflite {

/// One axis of a window over an image.
struct WindowAxis {
  std::uint32_t size = 1, stride = 1, dilation = 1;
};

/// WebNN's padding { beginning height, ending height, beginning width, ending width } of an image
/// [batch, height, width, channels]. SAME: as many results as the input has strides, with the odd
/// one at the end.
Dims padding_of(const Call& call, schema::Padding padding, const Dims& image, WindowAxis height,
                WindowAxis width);

/// What SAME adds along one axis, before and after.
std::pair<std::uint32_t, std::uint32_t> same_padding(std::uint64_t input, std::uint64_t output,
                                                     WindowAxis axis);

}  // namespace webnn::tflite
