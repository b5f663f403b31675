// Padding of sliding windows as the format has it. Private.
#pragma once

#include "src/formats/common/same_padding.h"
#include "src/formats/tflite/import/call.h"

namespace webnn::inline v0_1::tflite {

using formats::same_padding;
using formats::WindowAxis;

/// WebNN's padding { beginning height, ending height, beginning width, ending width } of an image
/// [batch, height, width, channels]. SAME: as many results as the input has strides, with the odd
/// one at the end.
Dims padding_of(const Call& call, schema::Padding padding, const Dims& image, WindowAxis height,
                WindowAxis width);

}  // namespace webnn::inline v0_1::tflite
