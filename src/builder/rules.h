// What a builder with other rules than the specification's does for them, so that a graph does not
// show by which rules it was made. Private.
#pragma once

#include "src/graph/graph_data.h"

namespace webnn {

/// Operands that have fewer dimensions than the specification wants get ones in front.
void add_dimensions(Op& op, GraphData& data);

/// Of constant(type, value).
void check_scalar(MLOperandDataType type);

/// What the methods let pass and build() refuses: two inputs of one name with a TypeError, what no
/// kernel could run with an OperationError.
void check_deferred(const Graph& graph);

}  // namespace webnn
