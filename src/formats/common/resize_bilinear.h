// Bilinear resizing of images [batch, height, width, channels] in the ways that TensorFlow has had.
// Private; a shared library of a format has its own copy and does not show it.
#pragma once

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::formats {

/// Half-pixel centers are WebNN's way.
struct Centers {
  bool align_corners = false, half_pixel = false;
};

/// How far one step in the result is in the input. In float, as the reference runtime computes.
[[gnu::visibility("hidden")]] float step_of(std::uint32_t input, std::uint32_t output,
                                            Centers centers);

/// Resizes to `height` and `width`, which the caller has limited: the constants have 12 bytes for
/// each row and column. `label` is that of the operator with the result.
[[gnu::visibility("hidden")]] MLOperand resize_bilinear(MLGraphBuilder builder, const MLOperand& x,
                                                        std::uint32_t height, std::uint32_t width,
                                                        Centers centers, const std::string& label);

}  // namespace webnn::inline v0_1::formats
