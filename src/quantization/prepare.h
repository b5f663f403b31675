// A graph in the form in which it is quantized.
#pragma once

#include "webnn/graph.h"

namespace webnn::inline v0_1 {

/// The graph of float32 in which weights have taken in what they can, and operators that are
/// written out are one. A graph with open dimensions stays as it is.
Graph prepared(Graph graph);

}  // namespace webnn::inline v0_1
