// A graph with open dimensions and every operator on shapes.
#pragma once

#include "webnn/graph_builder.h"

namespace webnn::inline v0_1::test {

/// The inputs are x, float32 [batch, 3, `x:0 "rows"`, 4], and past, float32 [batch, past], which
/// may be empty. Any sizes are right.
NamedOperands open_example(MLGraphBuilder& b);

}  // namespace webnn::inline v0_1::test
