// Convolutions in one to three dimensions. Private.
#pragma once

#include "src/formats/onnx/import/window.h"

namespace webnn::inline v0_1::onnx {

/// With the attribute `group` of the node.
MLOperand convolve(const Call&, const MLOperand& x, const MLOperand& filter,
                   const std::optional<MLOperand>& bias, const Window&);

}  // namespace webnn::inline v0_1::onnx
