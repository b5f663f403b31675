// What a page says of a model as a whole.
#pragma once

#include "tools/webnn/model/model.h"
#include "tools/webnn/page/tensors.h"

namespace webnn::inline v0_1::tool {

/// `memory` is that of the graph as programs build it, without constants that are only kept for the
/// page.
Json overview_json(const Model& model, const GraphMemory& memory, std::span<const double> us,
                   const Tensors& tensors);

}  // namespace webnn::inline v0_1::tool
