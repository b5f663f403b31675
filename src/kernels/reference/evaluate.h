// One operator run at once by the reference kernels, for example to fold constants.
#pragma once

#include "webnn/graph.h"

namespace webnn {

/// The results of a node whose operands are all constants.
std::vector<Constant> evaluate(const Node& node);

}  // namespace webnn
