// Resize, of sizes that are known or follow from shapes. Private.
#pragma once

#include "src/formats/onnx/export/lower.h"

namespace webnn::inline v0_1::onnx::exporter {

/// ONNX's nearest neighbor and linear interpolation with centers of half a pixel, to sizes of the
/// axes in their order. Integers are interpolated as float32, and along rows and columns: ONNX
/// Runtime has no other dimensions. With `scales`, sizes are none.
Value resized(LoweringContext& s, const MLOperand& input, MLInterpolationMode mode, Dims axes,
              Value sizes, Value scales = {});

}  // namespace webnn::inline v0_1::onnx::exporter
