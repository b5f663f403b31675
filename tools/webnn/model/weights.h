// How many parameters a graph has.
#pragma once

#include "webnn/graph.h"

namespace webnn::inline v0_1::tool {

struct Weights {
  std::size_t count = 0;             ///< how many constants
  double parameters = 0, bytes = 0;  ///< all of them together
};
Weights weights_of(const Graph& graph);

}  // namespace webnn::inline v0_1::tool
