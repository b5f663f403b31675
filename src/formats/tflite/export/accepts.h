// The types of elements that the reference runtime's operators take.
#pragma once

#include "src/formats/tflite/export/model.h"

namespace webnn::tflite::exporter {

bool accepts(BuiltinOperator code, TensorType type);

}  // namespace webnn::tflite::exporter
