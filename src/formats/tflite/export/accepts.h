// The element types that the operators of the reference runtime support.
#pragma once

#include "src/formats/tflite/export/model.h"

namespace webnn::inline v0_1::tflite::exporter {

bool accepts(BuiltinOperator code, TensorType type);

}  // namespace webnn::inline v0_1::tflite::exporter
