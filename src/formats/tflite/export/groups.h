// Operators that become one operator of TFLite: with the activation that follows, and with the
// dequantizeLinear before and the quantizeLinear behind. Private.
#pragma once

#include "src/formats/common/quantized_groups.h"
#include "src/formats/tflite/export/model.h"

namespace webnn::inline v0_1::tflite::exporter {

using Group = formats::Group<ActivationFunctionType>;
using Groups = formats::Groups<ActivationFunctionType>;
Groups find_groups(const Graph& graph);

}  // namespace webnn::inline v0_1::tflite::exporter
