// One operator run at once by the reference kernels, for example to fold constants.
#pragma once

#include "webnn/graph.h"

namespace webnn::inline v0_1 {

/// Whether this build has a kernel for the node: WEBNN_OPERATORS, WEBNN_DATA_TYPES.
bool can_evaluate(const Node& node);
/// The results of a node whose operands are all constants. Throws NotSupportedError when this build
/// has no kernel for it.
std::vector<Constant> evaluate(const Node& node);

}  // namespace webnn::inline v0_1
