// One operator run at once by the reference kernels: for constant folding.
#pragma once

#include "webnn/graph.h"

namespace webnn {

/// The results of a node whose operands are all constants.
std::vector<Constant> evaluate(const Node& node);

}  // namespace webnn
