// Resizing of images [batch, height, width, channels] along dimensions whose sizes each run
// chooses. The elements are those of resize_bilinear() and nearest_in_float(). Private; a shared
// library of a format has its own copy and does not show it.
#pragma once

#include "src/formats/common/resize_bilinear.h"
#include "src/formats/common/size.h"

namespace webnn::inline v0_1::formats {

[[gnu::visibility("hidden")]] MLOperand resize_bilinear_open(MLGraphBuilder b, const MLOperand& x,
                                                             const Size& height, const Size& width,
                                                             Centers centers,
                                                             const std::string& label);
[[gnu::visibility("hidden")]] MLOperand resize_nearest_open(MLGraphBuilder b, const MLOperand& x,
                                                            const Size& height, const Size& width,
                                                            Centers centers,
                                                            const std::string& label);

}  // namespace webnn::inline v0_1::formats
