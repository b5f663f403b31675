// Operators that become one node: with the clamp that follows, and with the dequantizeLinear before
// and the quantizeLinear behind. Private.
#pragma once

#include "src/formats/common/quantized_groups.h"
#include "src/formats/executorch/export/emitter.h"

namespace webnn::inline v0_1::executorch::exporter {

using Group = formats::Group<Limits>;
using Groups = formats::Groups<Limits>;
Groups find_groups(const Graph& graph);

}  // namespace webnn::inline v0_1::executorch::exporter
