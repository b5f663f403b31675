// Nearest elements of a resized axis. Private;
// a shared library of a format has its own copy and does not show it.
#pragma once

#include <cstdint>
#include <vector>

#include "src/formats/common/resize_bilinear.h"

namespace webnn::inline v0_1::formats {

/// Which element of `input` each of `output` elements is, as resample2d has it: the nearest one to
/// ((2 i + 1) * input - output) / (2 * output), halfway the lower one. In integers, so exact.
[[gnu::visibility("hidden")]] std::vector<std::int32_t> nearest_elements(std::uint32_t input,
                                                                         std::uint32_t output);

/// The same as TensorFlow Lite's kernel computes it: in float, so that it differs from the exact
/// place where a product is rounded across a whole number.
[[gnu::visibility("hidden")]] std::vector<std::int32_t> nearest_in_float(std::uint32_t input,
                                                                         std::uint32_t output,
                                                                         Centers centers);

}  // namespace webnn::inline v0_1::formats
