// Activation functions that operators of com.microsoft apply to their results. Private.
#pragma once

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

/// The activation of x that the attribute `activation` names, with up to two parameters; x when
/// there is none.
MLOperand with_activation(const Call&, const MLOperand& x, const std::vector<double>& parameters);

}  // namespace webnn::inline v0_1::onnx
